//! What is measured: the streamlet's work and the batches' shape, one by one or all that there are.

/// What the streamlet does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Pass,
    Route,
    Enrich,
    Fan,
    Skip,
}

impl Work {
    pub(crate) const ALL: [Self; 5] = [Self::Pass, Self::Route, Self::Enrich, Self::Fan, Self::Skip];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Route => "route",
            Self::Enrich => "enrich",
            Self::Fan => "fan",
            Self::Skip => "skip",
        }
    }
}

/// One measurement's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) work: Work,
    pub(crate) partitions: usize,
    /// Records of a batch.
    pub(crate) batch: usize,
    pub(crate) value_bytes: usize,
    pub(crate) headers: usize,
}

/// The one that the others vary.
const BASE: Shape = Shape { work: Work::Pass, partitions: 8, batch: 100, value_bytes: 1024, headers: 3 };

/// The base, and each of its parts varied alone.
pub(crate) fn quick() -> Vec<Shape> {
    let mut shapes =
        [Work::Route, Work::Pass, Work::Enrich, Work::Fan, Work::Skip].map(|work| Shape { work, ..BASE }).to_vec();
    shapes.extend([1, 64, 512].map(|partitions| Shape { partitions, ..BASE }));
    shapes.extend([1, 10].map(|batch| Shape { batch, ..BASE }));
    shapes.extend([100, 10 << 10].map(|value_bytes| Shape { value_bytes, ..BASE }));
    shapes.push(Shape { value_bytes: 100 << 10, batch: 10, ..BASE });
    shapes.extend([0, 20].map(|headers| Shape { headers, ..BASE }));
    shapes
}

/// What flags choose of each part; whatever they leave out is the base's, or with `all` everything.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    pub(crate) works: Vec<Work>,
    pub(crate) partitions: Vec<usize>,
    pub(crate) batch: Vec<usize>,
    pub(crate) value_bytes: Vec<usize>,
    pub(crate) headers: Vec<usize>,
    pub(crate) all: bool,
}

impl Choice {
    /// Every combination.
    pub(crate) fn shapes(&self) -> Vec<Shape> {
        let chosen = |own: &[usize], base: usize, all: &[usize]| match own {
            [] if self.all => all.to_vec(),
            [] => vec![base],
            own => own.to_vec(),
        };
        let works = match self.works.as_slice() {
            [] if self.all => Work::ALL.to_vec(),
            [] => vec![BASE.work],
            own => own.to_vec(),
        };
        let mut shapes = Vec::new();
        for &work in &works {
            for partitions in chosen(&self.partitions, BASE.partitions, &[1, 8, 64, 512]) {
                for batch in chosen(&self.batch, BASE.batch, &[1, 10, 100]) {
                    for value_bytes in chosen(&self.value_bytes, BASE.value_bytes, &[100, 1 << 10, 10 << 10, 100 << 10])
                    {
                        for headers in chosen(&self.headers, BASE.headers, &[0, 3, 20]) {
                            shapes.push(Shape { work, partitions, batch, value_bytes, headers });
                        }
                    }
                }
            }
        }
        // The platform's sidecar makes no batch over its limit for messages; ours is 16 MiB.
        shapes.retain(|shape| shape.batch * shape.value_bytes < 12 << 20);
        shapes
    }

    pub(crate) fn is_empty(&self) -> bool {
        let Self { works, partitions, batch, value_bytes, headers, all } = self;
        works.is_empty() && [partitions, batch, value_bytes, headers].iter().all(|chosen| chosen.is_empty()) && !all
    }
}
