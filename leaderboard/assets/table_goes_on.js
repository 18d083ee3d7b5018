{
  const mark = () => {
    for (const frame of element.querySelectorAll('.table-frame')) {
      frame.classList.toggle('goes-on', frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 2);
    }
  };
  element.addEventListener('scroll', mark, {capture: true, passive: true});
  element.addEventListener('toggle', mark, {capture: true});
  new ResizeObserver(mark).observe(element);
  watch('value', () => requestAnimationFrame(mark));
}
