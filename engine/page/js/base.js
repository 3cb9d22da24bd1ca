// ---- base: elements, time, what is kept on this device

const $ = (id) => document.getElementById(id);

// make gives an element with a class and children, which are elements or texts; never HTML.
function make(name, cls, ...children) {
  const e = document.createElement(name);
  if (cls) e.className = cls;
  e.append(...children.filter((c) => c !== "" && c !== null && c !== undefined));
  return e;
}

// say puts a text into an element if it has another.
function say(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

function uid() {
  const b = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
}

// kept is localStorage, or memory where a browser has none for us.
const kept = {
  memory: new Map(),
  get(key) {
    try {
      return JSON.parse(localStorage.getItem("agentstudio." + key));
    } catch {
      return this.memory.get(key) ?? null;
    }
  },
  set(key, value) {
    this.memory.set(key, value);
    try {
      localStorage.setItem("agentstudio." + key, JSON.stringify(value));
    } catch {
      // this tab's memory is what there is
    }
  },
  drop(key) {
    this.memory.delete(key);
    try {
      localStorage.removeItem("agentstudio." + key);
    } catch {
      // nothing was kept
    }
  },
};

const prefs = { name: "", lang: "", theme: "", size: 0, sound: false, awake: false, notify: false, ...kept.get("prefs") };

function prefer(change) {
  Object.assign(prefs, change);
  kept.set("prefs", prefs);
}

// clock counts by the server's time. performance.now may stand still while a phone sleeps; the ping
// on waking sets it right.
const clock = {
  at: Date.now(),
  mark: performance.now(),
  set(now) {
    this.at = Date.parse(now);
    this.mark = performance.now();
  },
  now() {
    return this.at + performance.now() - this.mark;
  },
};

// bearer is the header that every request has but those for the page itself.
const bearer = () => ({ Authorization: "Bearer " + me.token });

// me is who this device is here; readOnly is the code for why the session takes no commands at all.
const me = { token: "", server: "", role: "", name: "", device: "", uploads: false, readOnly: "" };

const mayDecide = () => !me.readOnly && (me.role === "approver" || me.role === "operator");
const mayOperate = () => !me.readOnly && me.role === "operator";

// twice makes a button act on a second press within four seconds only.
function twice(button, key, again, act) {
  let timer = 0;
  const reset = () => {
    clearTimeout(timer);
    timer = 0;
    button.classList.remove("armed");
    say(button, t(key));
  };
  button.addEventListener("click", () => {
    if (!timer) {
      button.classList.add("armed");
      say(button, t(again));
      timer = setTimeout(reset, 4000);
      return;
    }
    reset();
    act();
  });
  return { word: () => timer || reset() };
}
