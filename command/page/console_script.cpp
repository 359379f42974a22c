// SPDX-License-Identifier: MIT
#include "page/console_script.hpp"

namespace detent::tool {
namespace {

// Elements stay the same ones, so that focus, what is unfolded and the scroll position stay too. Children with an id
// are found by it, others by their place. A selection is not taken from under its reader, nor is a hidden page updated.
constexpr std::string_view script = R"js('use strict';
const $ = id => document.getElementById(id), main = document.querySelector('main'), pause = $('pause'), state = $('state');
let paused = false;

const alike = (a, b) => a && a.nodeName === b.nodeName && (a.id || '') === (b.id || '');

function take(old, now) {
  if (old.isEqualNode(now)) return;
  if (old.nodeType !== 1) { old.data = now.data; return; }
  for (const {name} of [...old.attributes])
    if (name !== 'open' && !now.hasAttribute(name)) old.removeAttribute(name);
  for (const {name, value} of now.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const known = new Map([...old.children].filter(e => e.id).map(e => [e.id, e]));
  let at = old.firstChild;
  for (const each of [...now.childNodes]) {
    const same = each.id ? known.get(each.id) : at;
    if (!alike(same, each)) { old.insertBefore(each, at); continue; }
    if (same === at) at = at.nextSibling;
    else old.insertBefore(same, at);
    take(same, each);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}

async function update() {
  const began = performance.now();
  if (!paused && !document.hidden && getSelection().isCollapsed) try {
    const answer = await fetch(location, {cache: 'no-store', signal: AbortSignal.timeout(1e4)});
    if (!answer.ok) throw 0;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const focus = document.activeElement.id;
    take(main, page.querySelector('main'));
    take($('now'), page.getElementById('now'));
    if (focus && focus !== document.activeElement.id) $(focus)?.focus({preventScroll: true});
    state.textContent = '';
  } catch {
    state.textContent = 'No answer: these figures are old.';
  }
  const took = performance.now() - began;
  setTimeout(update, Math.max(1e3 * main.dataset.interval, 9 * took));
}

pause.hidden = false;
pause.onclick = () => { pause.textContent = (paused = !paused) ? 'Go on' : 'Pause'; };
setTimeout(update, 1e3 * main.dataset.interval);
)js";
static_assert(script.size() <= 2048);

}  // namespace

std::string_view console_script() { return script; }

}  // namespace detent::tool
