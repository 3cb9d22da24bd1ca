// ---- orders: commands, each with an id of its own, answered by the engine's word

const orders = new Map();

// order sends a command and gives its result. What was sent and not answered is sent again with the
// same id after a cut; the server does it once.
function order(frame) {
  const id = uid();
  return new Promise((done) => {
    orders.set(id, { frame: { ...frame, id, sessionId: link.session }, done });
    dispatch(id);
  });
}

function dispatch(id) {
  const o = orders.get(id);
  if (!o || link.state !== "live") return; // it was answered meanwhile, or resend does it
  o.way = link.way;
  if (link.way.kind === "socket") {
    if (link.way.open()) link.way.tell(o.frame);
    return;
  }
  post(o.frame).then(answered, () => setTimeout(dispatch, 2000, id)); // it may not have arrived, or its answer
}

function resend() {
  for (const [id, o] of orders) if (o.way !== link.way) dispatch(id);
}

function answered(m) {
  const o = orders.get(m.id);
  if (!o) return;
  orders.delete(m.id);
  o.done(m);
}

function giveUp() {
  for (const [id] of orders) answered({ id, ok: false, code: "TOKEN_INVALID" });
}

const ways = {
  decide: (f) => "/api/approvals/" + encodeURIComponent(f.approvalId),
  extend: (f) => "/api/approvals/" + encodeURIComponent(f.approvalId) + "/extend",
  cancel: () => "/api/cancel",
  message: () => "/api/messages",
  remove: (f) => "/api/attachments/" + encodeURIComponent(f.attachmentId) + "/remove",
};

async function post(frame) {
  const answer = await fetch(ways[frame.type](frame), { method: "POST", headers: { ...bearer(), "Content-Type": "application/json" }, body: JSON.stringify(frame) });
  const m = await answer.json();
  if (answer.ok) return { ...m, id: frame.id };
  return { id: frame.id, ok: false, code: m.error.code, message: m.error.message, resolution: m.resolution };
}
