//! What many partitions cost beside few: the component with each number in turn, a process for either, which then change
//! places. Beside it the same with small values, of which all that is under way stays in a processor's caches, and the
//! echo, which loses what the transport loses.

use streamlet_tests::figures::median;

use crate::load::Conversation;
use crate::shape::{Shape, Work};
use crate::{AGAIN, COMPONENT, ECHO, Effort, Subjects};

const FEW: usize = 8;
const MANY: usize = 512;

pub(crate) async fn measure(subjects: &Subjects, effort: Effort) {
    println!("{MANY} partitions against {FEW}, pass-through, 100 records with 3 headers: CPU a record (records/s)");
    for (what, value_bytes, goal) in [("component, 1 KiB", 1024, "  (goal: 0.9)"), ("component, 100 B", 100, "")] {
        let mut ratios = compare(subjects, (COMPONENT, AGAIN), value_bytes, effort).await;
        ratios.extend(compare(subjects, (AGAIN, COMPONENT), value_bytes, effort).await);
        print(what, &ratios, goal);
    }
    print("echo, 1 KiB", &compare(subjects, (ECHO, ECHO), 1024, effort).await, "");
    println!();
}

fn print(name: &str, ratios: &[(f64, f64)], goal: &str) {
    let [processor, rate] = [|(processor, _): &(f64, f64)| *processor, |(_, rate): &(f64, f64)| *rate]
        .map(|part| median(ratios.iter().map(part)));
    println!("{name:<18} {processor:.2} ({rate:.2}){goal}");
}

/// For each round how good many are beside few: in processor time a record, and in records a second.
async fn compare(
    subjects: &Subjects,
    (few, many): (usize, usize),
    value_bytes: usize,
    effort: Effort,
) -> Vec<(f64, f64)> {
    let shape = |partitions| Shape { work: Work::Pass, partitions, batch: 100, value_bytes, headers: 3 };
    let mut conversations: Vec<(usize, Conversation)> = Vec::new();
    for (at, partitions) in [(few, FEW), (many, MANY)] {
        let mut conversation = subjects.0[at].driver.start(&shape(partitions)).await;
        conversation.burst(effort.burst / 4).await;
        conversations.push((at, conversation));
    }
    let mut ratios = Vec::new();
    for round in 0..effort.rounds {
        let mut results = [(0.0, 0.0); 2];
        // Whoever is first in a round is last in the next.
        for place in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            let (at, conversation) = &mut conversations[place];
            results[place] = subjects.burst(*at, conversation, effort.burst).await;
        }
        let [(few_rate, few_processor), (many_rate, many_processor)] = results;
        ratios.push((few_processor / many_processor, many_rate / few_rate));
    }
    ratios
}
