// ---- inbox: what came waits here, and is taken in for some milliseconds at a time

const slice = 8; // of work at once, in milliseconds, so that a long history never holds up a press
const inbox = [];
let taking = false;
const jobs = [];
const turn = new MessageChannel(); // timers that follow one another are slowed down, messages are not
turn.port1.onmessage = () => jobs.shift()();

// later runs a job when the browser has seen to what is more urgent.
function later(job) {
  jobs.push(job);
  turn.port2.postMessage(0);
}

// receive has a way's news acted on in the order in which they came; those of a way that was given up
// are dropped.
function receive(way, act) {
  inbox.push({ way, act });
  if (!taking) later(takeIn);
  taking = true;
}

function takeIn() {
  const until = performance.now() + slice;
  try {
    while (inbox.length && performance.now() < until) {
      const { way, act } = inbox.shift();
      if (link.way === way) act();
    }
  } finally {
    taking = inbox.length > 0;
    if (taking) later(takeIn);
  }
}
