// ---- files: what was sent in and what the agent made

function showFiles() {
  const all = (held.attachments || []).map((a) => fileRow(a.name, a, a.kind === "table" ? "" : "page.look", () => look(a)));
  for (const a of held.artifacts || []) all.push(fileRow(a.name, a, "page.save", (b) => saveFile(a, b)));
  $("files").replaceChildren(...all);
  $("pane-files").firstElementChild.hidden = all.length > 0;
}

function fileRow(name, a, key, act) {
  const e = make("li", "", make("div", "", make("b", "", name), make("p", "state", [a.mime, sizeOf(a.bytes), a.width ? a.width + "×" + a.height : ""].filter(Boolean).join(" · "))));
  if (!key || link.share !== "all") return e;
  const b = make("button", "", t(key));
  b.type = "button";
  b.setAttribute("aria-label", t(key) + " " + name);
  b.addEventListener("click", () => act(b));
  e.append(b);
  return e;
}

async function look(a) {
  const url = await blobOf("/api/attachments/" + encodeURIComponent(a.attachmentId));
  say($("look-title"), a.name);
  $("look-image").alt = a.name;
  $("look-image").hidden = !url;
  if (url) $("look-image").src = url;
  $("look").showModal();
}

async function saveFile(a, button) {
  const url = await blobOf("/api/artifacts/" + encodeURIComponent(a.artifactId));
  if (!url) return say(button, t("page.notSaved"));
  const go = make("a");
  go.href = url;
  go.download = a.name;
  go.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
