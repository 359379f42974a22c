// SPDX-License-Identifier: MIT
#include "page/console_script.hpp"

namespace detent::tool {
namespace {

// Elements are kept when the page is updated, so that focus, unfolded parts and the scroll position stay. Children with
// an id are found by it, others by their place. A child that has moved to another parent is a new element, whose state
// is restored by its id. The page stays with the engine that it has shown even if another becomes the worst. Links
// within the page and filter boxes change the address and fetch only the new page. An update leaves a reader's
// selection alone. A tab in the background asks every ten seconds, for its title. An answer without <main> is not a
// page of the console and is ignored.
constexpr std::string_view script =
    R"js(const $ = id => document.getElementById(id), main = document.querySelector('main'), pause = $('pause');
let paused = false, timer, flight, jump = false;

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

async function update(asked) {
  const began = Date.now(), state = $('state'), own = flight = new AbortController();
  let words = '';
  clearTimeout(timer);
  if (!asked && !getSelection().isCollapsed) words = 'Waits: text is selected.';
  else if (asked || !paused) try {
    const query = new URLSearchParams(location.search);
    if (!query.get('engine')) query.set('engine', main.dataset.engine);
    const late = setTimeout(() => own.abort(), 1e4);
    const answer = await fetch('?' + query, {signal: own.signal});
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    clearTimeout(late);
    const focus = document.activeElement.id, open = [...main.querySelectorAll('[open]')];
    take(main, page.querySelector('main'));
    take($('now'), page.getElementById('now'));
    document.title = page.title;
    for (const {id} of open) $(id)?.setAttribute('open', '');
    if (focus !== document.activeElement.id) $(focus)?.focus({preventScroll: true});
    if (jump) $(location.hash.slice(1))?.scrollIntoView();
    jump = false;
  } catch {
    if (own !== flight) return;
    words = 'No answer: these figures are old.';
  }
  if (state.textContent !== words) state.textContent = words;
  clearTimeout(timer);
  timer = setTimeout(update, Math.max(1e3 * main.dataset.interval * (document.hidden ? 10 : 1), 9 * (Date.now() - began)));
}

function go(address, how) {
  history[how](null, '', address);
  flight?.abort();
  update(true);
}

document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="?"]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  jump = link.hash === '#engine' || link.hash === '#timer';
  go(link.href, 'pushState');
});
function filter(event) {
  const form = event.target.closest('.filter');
  if (!form) return;
  if (event.type === 'submit') event.preventDefault();
  go('?' + new URLSearchParams(new FormData(form)), 'replaceState');
}
document.addEventListener('input', filter);
document.addEventListener('submit', filter);
addEventListener('popstate', () => update(true));
document.addEventListener('visibilitychange', () => document.hidden || update());
pause.hidden = false;
pause.onclick = () => { pause.textContent = (paused = !paused) ? 'Go on' : 'Pause'; };
timer = setTimeout(update, 1e3 * main.dataset.interval);
)js";

}  // namespace

std::string_view console_script() { return script; }

}  // namespace detent::tool
