// On a phone they are one line that scrolls. That line alone: `scrollIntoView` would move the page as well.
const here = element.querySelector('[aria-current]');
const line = here?.closest('ul');
if (line) {
  const middle = (one) => one.getBoundingClientRect().left + one.getBoundingClientRect().width / 2;
  line.scrollLeft += middle(here) - middle(line);
}
