// What a term means (`data-term`), beside it: when it is pointed at, reached with the keyboard, or tapped. The
// explanation that is shown is the description of its term meanwhile.
{
  const POINTED_AT_MS = 300;  // so long a pointer rests on a term before it is explained
  const tip = document.createElement('div');
  tip.id = 'term-tip';
  tip.className = 'term-tip';
  tip.setAttribute('role', 'tooltip');
  tip.popover = 'manual';  // above all else: a table cuts off what reaches beyond it
  let term = null, isPointedAt = false, waiting = 0;
  const about = (target) => {
    const found = target instanceof Element ? target.closest('[data-term]') : null;
    return found?.dataset.term ? found : null;
  };
  const hide = () => {
    clearTimeout(waiting);
    term?.removeAttribute('aria-describedby');
    term = null;
    if (tip.isConnected) tip.hidePopover();
  };
  const place = () => {
    if (!term?.isConnected) return hide();
    const at = term.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const below = at.bottom + 6;
    tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - own.width - 8))}px`;
    tip.style.top = `${below + own.height <= innerHeight ? below : Math.max(8, at.top - own.height - 6)}px`;
  };
  const show = (of, pointedAt) => {
    const explained = about(of);
    hide();
    (document.querySelector('main') ?? document.body).append(tip);
    tip.textContent = explained.dataset.term;
    term = of;
    isPointedAt = pointedAt;
    term.setAttribute('aria-describedby', tip.id);
    tip.showPopover();
    place();
  };
  const part = (event) => about(event.target) && (event.target.closest('button, summary') ?? about(event.target));
  document.addEventListener('pointerover', (event) => {
    if (event.pointerType !== 'mouse' || tip.contains(event.target)) return;
    clearTimeout(waiting);
    const of = part(event);
    if (of && of !== term) waiting = setTimeout(() => show(of, true), POINTED_AT_MS);
    else if (!of && isPointedAt) hide();
  });
  document.addEventListener('focusin', (event) => {
    const of = part(event);
    if (of?.matches(':focus-visible')) show(of, false);
    else if (!of) hide();
  });
  document.addEventListener('click', (event) => {
    const of = part(event);
    // What folds out says it itself.
    if (!of || event.pointerType === 'mouse' || of.tagName === 'SUMMARY') hide();
    else show(of, false);
  }, {capture: true});
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); }, {capture: true});
  document.addEventListener('scroll', () => { if (term) place(); }, {capture: true, passive: true});
}
