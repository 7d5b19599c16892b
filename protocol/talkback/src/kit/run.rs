//! One script, run against a source or an operator.
//!
//! Owns the part under test for as long as the script lasts. Makes legal signals only.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Debug;

use crate::kit::bench::Bench;
use crate::kit::judge::Account;
use crate::kit::script::SharedChoices;
use crate::kit::{Check, Kind};
use crate::rule::Policy;
use crate::signal::{Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;

/// Items after which a drive is held, so that an endless source returns.
const ITEMS_PER_DRIVE: usize = 32;

/// What the sink does between drives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Drive,
    /// Drive with a budget of one item.
    DriveOne,
    Start,
    Request,
    Pause,
    Enough,
}

/// What the sink does inside a receive: names, and then signals in this order: request, stop, start, request.
const REACTIONS: [(&str, [bool; 4]); 8] = [
    ("", [false, false, false, false]),
    (" (request)", [true, false, false, false]),
    (" (pause)", [false, true, false, false]),
    (" (pause, start)", [false, true, true, false]),
    (" (pause, start, request)", [false, true, true, true]),
    (" (request, request)", [true, false, false, true]),
    (" (request, pause)", [true, true, false, false]),
    (" (request, pause, start)", [true, true, true, false]),
];

pub(crate) fn once<S, M>(check: &Check<S, M>, choices: &SharedChoices) -> Result<(), String>
where
    S: Source<Item: PartialEq + Debug, Error: Debug>,
    M: Fn(&Bench) -> S,
{
    let bench = Bench::new(choices);
    let mut source = (check.make)(&bench);
    let mut talkback = Talkback::new(source.name(), "the kit");
    talkback.set_policy(Policy::Count);
    let mut account = Account::default();
    let mut last = None;
    while choices.borrow().go_on() && !account.ended {
        if !talkback.is_greeted() {
            choices.borrow_mut().choose(1);
            if source.greets() {
                choices.borrow_mut().say(|| "greet".to_string());
                talkback.greet();
            }
            continue;
        }
        let act = act(choices, &account, last);
        last = Some(act);
        match act {
            Act::Start => {
                talkback.start();
                account.start();
                choices.borrow_mut().say(|| "start".to_string());
            }
            Act::Request => {
                talkback.request();
                account.owed = true;
                choices.borrow_mut().say(|| "request".to_string());
            }
            Act::Pause | Act::Enough => {
                talkback.stop(if act == Act::Pause { Stop::Pause } else { Stop::Enough });
                account.stop();
                choices.borrow_mut().say(|| if act == Act::Pause { "pause" } else { "stop: enough" }.to_string());
            }
            Act::Drive | Act::DriveOne => {
                let items = if act == Act::Drive { ITEMS_PER_DRIVE } else { 1 };
                drive(check, choices, &mut source, &mut talkback, &mut account, items)?;
                observe(&bench, &talkback, &account)?;
            }
        }
    }
    drop(source);
    if bench.has_undropped() {
        return Err("dropping it did not drop a source above it".to_string());
    }
    Ok(())
}

/// Chooses among what is legal and changes something.
fn act(choices: &SharedChoices, account: &Account, last: Option<Act>) -> Act {
    let drives = last.is_none_or(|last| !matches!(last, Act::Drive | Act::DriveOne));
    let mut acts = [Act::Drive; 6];
    let mut count = 0;
    let mut offer = |act, fits: bool| {
        if fits && let Some(place) = acts.get_mut(count) {
            *place = act;
            count += 1;
        }
    };
    offer(Act::Drive, drives || account.waiting || account.held);
    offer(Act::Start, !account.open);
    offer(Act::Request, account.open && !account.owed);
    offer(Act::Pause, account.open);
    offer(Act::DriveOne, account.open && (drives || account.waiting));
    offer(Act::Enough, account.open && last == Some(Act::Drive));
    let choice = choices.borrow_mut().choose(count);
    acts.get(choice).copied().unwrap_or(Act::Drive)
}

fn drive<S, M>(
    check: &Check<S, M>,
    choices: &SharedChoices,
    source: &mut S,
    talkback: &mut Talkback<S::Error>,
    account: &mut Account,
    items: usize,
) -> Result<(), String>
where
    S: Source<Item: PartialEq + Debug, Error: Debug>,
{
    choices.borrow_mut().say(|| if items == 1 { "drive one" } else { "drive" }.to_string());
    talkback.hold(false);
    account.held = false;
    let mut verdict = Ok(());
    let mut left = items;
    let step = source.drive(talkback, &mut |item, talkback| {
        if verdict.is_err() {
            return;
        }
        verdict = account.emits(check, &item);
        if verdict.is_err() {
            choices.borrow_mut().say(|| format!("receive {item:?}"));
            // No more of it: the script has failed.
            talkback.hold(true);
            return;
        }
        let _ = talkback.deliver();
        react(choices, &item, talkback, account);
        left = left.saturating_sub(1);
        talkback.hold(left == 0);
        account.held = left == 0;
    });
    verdict?;
    if let Some(violation) = talkback.last_violation() {
        return Err(violation.to_string());
    }
    account.steps(check, &step)?;
    if let Step::Ended(end) = &step {
        choices.borrow_mut().say(|| format!("end: {end:?}"));
    }
    if account.held && check.kind == Kind::Pulled {
        talkback.hold(false);
    }
    Ok(())
}

/// The sink receives, and reacts as the script has it.
fn react<T: Debug, E>(choices: &SharedChoices, item: &T, talkback: &mut Talkback<E>, account: &mut Account) {
    let mut choices = choices.borrow_mut();
    let choice = choices.choose(REACTIONS.len());
    let Some((word, [request, stop, start, again])) = REACTIONS.get(choice) else { return };
    choices.say(|| format!("receive {item:?}{word}"));
    if *request {
        talkback.request();
        account.owed = true;
    }
    if *stop {
        talkback.stop(Stop::Pause);
        account.stop();
    }
    if *start {
        talkback.start();
        account.start();
    }
    if *again {
        talkback.request();
        account.owed = true;
    }
}

/// What the bench has seen, and whether a stop has reached the top.
fn observe<E>(bench: &Bench, talkback: &Talkback<E>, account: &Account) -> Result<(), String> {
    if let Some(fault) = bench.take_fault() {
        return Err(fault);
    }
    if !talkback.is_open() && bench.has_open() {
        return Err("the stream is stopped, but a source above is still open".to_string());
    }
    if account.ended && bench.has_open() {
        return Err("the stream has ended, but a source above is still open".to_string());
    }
    Ok(())
}
