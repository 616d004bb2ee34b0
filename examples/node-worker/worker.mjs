// A worker in Node, without dependencies: it claims jobs of one kind over HTTP, keeps their leases, and says how they
// ended. TENURE_URL names the service, TENURE_KEY holds a key of the role `worker`.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const URL_OF_SERVICE = (process.env.TENURE_URL ?? "http://127.0.0.1:8000").replace(/\/+$/, "");
const KEY = process.env.TENURE_KEY;
const KIND = "count-words";
const LEASE_SECONDS = Number(process.env.LEASE_SECONDS ?? 30);
const GRACE_SECONDS = Number(process.env.GRACE_SECONDS ?? 10);
const POLL_SECONDS = 20;
const SHARE_OF_LEASE_THAT_IS_SAFE = 5 / 6;

// What the kind is. The service checks each payload against the schema before it records a job.
const DECLARATION = {
  schema: {
    type: "object",
    properties: { text: { type: "string" }, seconds: { type: "number", minimum: 0 } },
    required: ["text"],
    additionalProperties: false,
  },
  max_retries: 3,
  timeout: 300,
};

// The work. `signal` is aborted when it shall stop: the job was cancelled, its lease is lost, or the worker leaves.
async function countWords({ text, seconds = 0 }, signal) {
  await sleep(seconds * 1000, undefined, { signal });
  if (text.includes("\uFFFD")) throw new Unfit("broken_text", "the text holds a replacement character");
  return { words: (text.match(/\S+/g) ?? []).length, characters: [...text].length };
}

// An error that no retry can mend.
class Unfit extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// An answer that is no success, with the code of its problem document. `retryAfter`: seconds, 0 where nothing is said.
class Refused extends Error {
  constructor(status, problem, retryAfter = 0) {
    const words = problem.detail ?? `no answer of Tenure: ${URL_OF_SERVICE}`;
    super(`${status} ${problem.code ?? "unknown"}: ${words}${problem.hint ? ` ${problem.hint}` : ""}`);
    this.status = status;
    this.code = problem.code;
    this.retryAfter = retryAfter;
  }

  get mayPass() {
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

const leaving = new AbortController();

await declare().catch(endWith(13, "cannot start"));
while (!leaving.signal.aborted) {
  const job = await claim().catch(endWith(1, "cannot go on"));
  if (job) await run(job);
}
log("left");

// What no repeating mends ends the worker with one line: a wrong key, address or kind.
function endWith(code, words) {
  return (error) => {
    log(`${words}: ${error.message}`);
    process.exit(code);
  };
}

async function declare() {
  new Request(URL_OF_SERVICE, { headers: headers() }); // throws for what can be no URL or key
  process.on("SIGTERM", leave).on("SIGINT", leave);
  await insist("PUT", `/kinds/${KIND}`, DECLARATION, { signal: leaving.signal }).catch(isThere).catch(unlessLeaving);
  log(`works on ${KIND}`);
}

// A kind that others declared, and that this key may not change, stays as it is; where there is none, the refusal holds.
async function isThere(refusal) {
  if (refusal.status !== 403 || refusal.code === "role_forbidden") throw refusal;
  await insist("GET", `/kinds/${KIND}`, undefined, { signal: leaving.signal }).catch((error) => {
    throw error.status === 404 ? refusal : error;
  });
  log(`${KIND} stays as it was declared: ${refusal.message}`);
}

function leave() {
  if (!leaving.signal.aborted) log("draining");
  leaving.abort();
}

// One job, or null. A claim is repeated under its own claim_id until it is answered, so that a lost answer loses no
// lease. One that SIGTERM cut off may have been served all the same: it is asked once more, and what it has goes back.
async function claim() {
  const said = {
    claim_id: randomUUID(),
    types: [KIND],
    wait: POLL_SECONDS,
    lease_seconds: LEASE_SECONDS,
    holder: { host: hostname(), process: process.pid },
  };
  try {
    return await insist("POST", "/jobs/claim", said, { signal: leaving.signal, seconds: POLL_SECONDS + 15 });
  } catch (error) {
    unlessLeaving(error);
    const job = await call("POST", "/jobs/claim", { ...said, wait: 0 }).catch((trouble) => log(trouble.message));
    if (job) await report(job, "release", { begun: false });
    return null;
  }
}

async function run(job) {
  const work = new AbortController();
  const letGo = keep(job, work);
  try {
    const ended = await outcome(job, work.signal);
    if (ended) await report(job, ...ended);
  } finally {
    letGo();
  }
}

// The verb that ends the attempt and its members; null where there is nothing to say: the job is somebody else's now.
async function outcome(job, signal) {
  log(`${job.id} attempt ${job.attempt}`);
  try {
    return ["complete", { result: await countWords(job.payload, signal) }];
  } catch (error) {
    if (signal.aborted) return signal.reason.verb;
    const fatal = error instanceof Unfit;
    const said = { class: fatal ? "terminal" : "unknown", code: error.code ?? "unexpected", error: String(error) };
    return ["fail", fatal ? said : { ...said, traceback: error.stack }];
  }
}

// Heartbeats at a third of the lease, the first at once: how long the claim waited counts against the lease too. The
// work stops when cancellation is asked, when the lease is not ours any more, before it ends without an answer, and when
// the grace of a worker that leaves is over. Answers the function that ends all this.
function keep(job, work) {
  const ended = new AbortController();
  const stop = (why, verb) => work.abort(Object.assign(new Error(why), { verb }));
  const giveBack = () => after(GRACE_SECONDS, ended, () => stop("the worker leaves", ["release", { begun: true }]));
  if (leaving.signal.aborted) giveBack();
  else leaving.signal.addEventListener("abort", giveBack, { once: true, signal: ended.signal });
  beats(job, stop, ended);
  return () => ended.abort();
}

async function beats(job, stop, ended) {
  const third = job.lease_seconds / 3;
  let safety = new AbortController();
  after(job.lease_seconds * SHARE_OF_LEASE_THAT_IS_SAFE, safety, () => stop("no heartbeat was answered", null));
  ended.signal.addEventListener("abort", () => safety.abort(), { once: true });
  while (!ended.signal.aborted) {
    const sent = performance.now();
    try {
      const path = `/jobs/${job.id}/heartbeat`;
      const answer = await call("POST", path, { lease_token: job.lease_token }, { seconds: third, signal: ended.signal });
      if (answer.cancel_requested) stop("cancelled", ["fail", { class: "cancel", error: "cancelled" }]);
      safety.abort();
      safety = new AbortController();
      const left = job.lease_seconds * SHARE_OF_LEASE_THAT_IS_SAFE - (performance.now() - sent) / 1000;
      after(left, safety, () => stop("no heartbeat was answered", null));
    } catch (error) {
      if (isNotOurs(error)) stop("the lease is lost", null);
      else if (!ended.signal.aborted) log(`heartbeat: ${error.message}`);
    }
    await sleep(third * 1000, undefined, { signal: ended.signal }).catch(() => {});
  }
}

// Does something after so many seconds, unless `cancelling` is aborted before.
function after(seconds, cancelling, act) {
  sleep(Math.max(0, seconds) * 1000, undefined, { signal: cancelling.signal, ref: false }).then(act, () => {});
}

// Says how the attempt ended, again until it is answered: a repeat by the same token changes nothing. A refusal is the
// end of it: the job is not ours any more. But where a result is not taken the job is, and the work must not be done again.
async function report(job, verb, members) {
  try {
    await insist("POST", `/jobs/${job.id}/${verb}`, { lease_token: job.lease_token, ...members }, { tries: 8 });
    log(`${job.id} ${verb}`);
  } catch (error) {
    log(`${job.id} is dropped: ${error.message}`);
    if (verb === "complete" && (error.status === 413 || error.status === 422)) {
      await report(job, "fail", { class: "terminal", code: "report_refused", error: error.message });
    }
  }
}

// As `call`, repeated with growing pauses while the service is away, and none shorter than what it asks for.
async function insist(method, path, body, { tries = Infinity, signal, seconds } = {}) {
  for (let made = 1; ; made += 1) {
    try {
      return await call(method, path, body, { signal, seconds });
    } catch (error) {
      const isFinal = error instanceof Refused && !error.mayPass;
      if (isFinal || signal?.aborted || made >= tries) throw error;
      const pause = Math.max((error.retryAfter ?? 0) * 1000, Math.random() * Math.min(5000, 100 * 2 ** made));
      log(`${path}: ${error.cause?.code ?? error.message}, again in ${(pause / 1000).toFixed(1)} s`);
      await sleep(pause, undefined, { signal });
    }
  }
}

// One request; the document of its answer, null where it has none. Redirects are not followed: the key is for this host.
async function call(method, path, body, { signal, seconds = 15 } = {}) {
  const limits = [AbortSignal.timeout(Math.ceil(seconds * 1000)), ...(signal ? [signal] : [])];
  const response = await fetch(URL_OF_SERVICE + path, {
    method,
    redirect: "manual",
    headers: headers(),
    body: JSON.stringify(body),
    signal: AbortSignal.any(limits),
  });
  const text = await response.text();
  const said = text ? parsed(text) : null;
  if (response.ok && said !== undefined) return said;
  throw new Refused(response.status, said ?? {}, Number.parseInt(response.headers.get("Retry-After"), 10) || 0);
}

function headers() {
  return { "Content-Type": "application/json", ...(KEY ? { Authorization: `Bearer ${KEY}` } : {}) };
}

// The document, undefined where it is none.
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Only these say so: after another 409 (`effect_conflict`) the job is still ours, and has to fail.
function isNotOurs(error) {
  return error instanceof Refused && (error.code === "stale_lease" || error.status === 404);
}

function unlessLeaving(error) {
  if (!leaving.signal.aborted) throw error;
}

function log(words) {
  console.error(`${new Date().toISOString()} ${words}`);
}
