//! What measurements share.

/// The one in the middle.
///
/// # Panics
/// There is none.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values = values.collect::<Vec<_>>();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What the children of this process that have ended had of a processor, in hundredths of a second.
///
/// # Panics
/// The system cannot say.
pub fn children_hundredths() -> u64 {
    // User and system time of the children come after the process's own.
    stat_hundredths("self", 13)
}

/// The sum of two neighbouring times in the state of a process, the first of which is this field behind its name.
pub(crate) fn stat_hundredths(process: &str, field: usize) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    fields.split(' ').skip(field).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}
