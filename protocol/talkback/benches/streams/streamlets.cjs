// The four published scenarios of the npm package `streamlets`, as its own benchmark has them, and one that is longer: every
// sink listens and does nothing with what it gets. Prints a line for each: its name, and the median nanoseconds of one operation.
//
//   node streamlets.cjs DIRECTORY   where `npm install --prefix DIRECTORY streamlets@0.5.1` was run

const path = require('node:path')
const { Subject, filter, flatten, map, observe, of, pipe } = require(path.join(process.argv[2], 'node_modules/streamlets'))

const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const tenThousand = [...Array(10_000).keys()]
const even = n => n % 2 === 0
const four = n => pipe(of(n, n, n * 2, n * 3), filter(even))

const multicast = items => {
  const subject = new Subject()
  const flat = pipe(subject, map(four), flatten)
  for (let sink = 0; sink < 9; sink++) observe(flat)
  for (let n = 0; n < items; n++) subject.receive(n)
  subject.end()
}

const scenarios = {
  simple: () => pipe(of(...ten), map(n => n * 3), filter(even), observe),
  flatten: () => pipe(of(...ten), map(four), flatten, observe),
  multicast: () => multicast(10),
  long: () => multicast(1_000),
  large: () => pipe(of(...tenThousand), map(four), flatten, observe),
}

const ROUNDS = 31
const ROUND_NS = 8e6

const now = () => Number(process.hrtime.bigint())
const run = (scenario, times) => {
  const begun = now()
  for (let n = 0; n < times; n++) scenario()
  return now() - begun
}

for (const [name, scenario] of Object.entries(scenarios)) {
  // Warm, and as many times a round as fill it.
  let times = 1
  while (run(scenario, times) < ROUND_NS) times *= 2
  for (let round = 0; round < 10; round++) run(scenario, times)
  const rounds = Array.from({ length: ROUNDS }, () => run(scenario, times) / times).sort((a, b) => a - b)
  console.log(name, rounds[ROUNDS >> 1])
}
