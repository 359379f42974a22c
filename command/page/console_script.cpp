// SPDX-License-Identifier: MIT
#include "page/console_script.hpp"

namespace detent::tool {
namespace {

// Elements stay the same ones, so that focus, what is unfolded and the scroll position stay too. Children with an id
// are found by it, others by their place. One that has moved to another parent is new there: what it had is restored by
// its id. A selection is not taken from under its reader, nor is a page updated that nobody sees. What is no page of
// the console has no <main>, and counts as no answer.
constexpr std::string_view script =
    R"js(const $ = id => document.getElementById(id), main = document.querySelector('main'), pause = $('pause');
let paused = false;

function take(old, now) {
  if (old.isEqualNode(now)) return;
  if (old.nodeType !== 1) { old.data = now.data; return; }
  for (const {name} of [...old.attributes])
    if (name !== 'open' && !now.hasAttribute(name)) old.removeAttribute(name);
  for (const {name, value} of now.attributes) old.setAttribute(name, value);
  const known = new Map([...old.children].map(e => [e.id, e]));
  let at = old.firstChild;
  for (const each of [...now.childNodes]) {
    const same = each.id ? known.get(each.id) : at;
    if (same?.nodeName !== each.nodeName || same.id != each.id) { old.insertBefore(each, at); continue; }
    if (same === at) at = at.nextSibling;
    else old.insertBefore(same, at);
    take(same, each);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}

async function update() {
  const began = performance.now(), state = $('state');
  let words = '';
  if (!getSelection().isCollapsed) words = 'Waits: text is selected.';
  else if (!paused && !document.hidden) try {
    const answer = await fetch(location, {signal: AbortSignal.timeout(1e4)});
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const focus = document.activeElement.id, open = [...main.querySelectorAll('[open]')];
    take(main, page.querySelector('main'));
    take($('now'), page.getElementById('now'));
    document.title = page.title;
    for (const {id} of open) $(id)?.setAttribute('open', '');
    if (focus !== document.activeElement.id) $(focus)?.focus({preventScroll: true});
  } catch {
    words = 'No answer: these figures are old.';
  }
  if (state.textContent !== words) state.textContent = words;
  again(9 * (performance.now() - began));
}

const again = least => setTimeout(update, Math.max(1e3 * main.dataset.interval, least));
pause.hidden = false;
pause.onclick = () => { pause.textContent = (paused = !paused) ? 'Go on' : 'Pause'; };
again(0);
)js";

}  // namespace

std::string_view console_script() { return script; }

}  // namespace detent::tool
