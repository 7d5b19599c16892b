//! The run of a composed stream, and what it means for its batch.

use talkback::{Sink, Source, State, Stream};

use crate::error::{Error, Result};

/// Runs a connected stream to its end and says whether the batch can be acknowledged.
///
/// ```
/// use streamlet::prelude::*;
///
/// /// Repeats the first words.
/// #[derive(Streamlet)]
/// struct Few {
///     #[inlet(name = "in", schema = "words.v1")]
///     words: Inlet,
///     #[outlet(schema = "words.v1")]
///     out: Outlet,
/// }
///
/// impl Process for Few {
///     fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
///         let is_word = |record: &Record<'_>| record.text().is_ok_and(|text| !text.contains(' '));
///         batch.source().filter(is_word).take(2).connect(out.sink(self.out)).run_to_end()
///     }
/// }
/// streamlet::export!(Few);
///
/// use streamlet::testing::{Harness, Record as Put};
///
/// let put = ["one", "not a word", "two", "three"].map(Put::new);
/// let outcome = Harness::<Few>::new().put_all("in", put).run();
/// assert_eq!(outcome.records("out"), [Put::new("one"), Put::new("two")]);
/// assert_eq!(outcome.skipped(), [Put::new("not a word"), Put::new("three")]);
/// ```
pub trait RunToEnd {
    /// Runs the stream. `Ok` if it completed, or if an operator or sink had enough: then what is left of the batch is
    /// skipped.
    ///
    /// # Errors
    /// The stream failed: the error is the failure, and blames the record that it blames. Or the stream came to rest
    /// without an end, so that records were lost if the batch were acknowledged: the sink paused it, does not request, or
    /// a source in it waits for something that cannot happen within a batch.
    fn run_to_end(self) -> Result<()>;
}

impl<S, K> RunToEnd for Stream<S, K>
where
    S: Source<Error: Into<Error>>,
    K: Sink<S::Item, S::Error>,
{
    #[inline]
    fn run_to_end(mut self) -> Result<()> {
        match self.run() {
            State::Complete | State::Enough => Ok(()),
            State::Failed => self.finish().map(drop).map_err(Into::into),
            state => Err(rests(state)),
        }
    }
}

#[cold]
fn rests(state: State) -> Error {
    let why = match state {
        State::Paused => "its sink paused it",
        State::Waiting => "it waits for something outside of the batch",
        _ => "its sink requests nothing",
    };
    Error::new(format!("the stream stood still before it had ended: {why}"))
}
