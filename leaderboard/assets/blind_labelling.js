const SIDES = ['left', 'right', 'tie'];
const KEYS = {1: 'left', 2: 'right', 3: 'tie'};
let items = [], ids = new Set(), others = [], cast = [], isKept = true, isSure = false;
const part = (name) => element.querySelector(`[data-${name}]`);
const place = () => `plumbline-labels-${props.value.log}`;
const named = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const isVote = (vote) => vote === 'skip' || SIDES.includes(vote) || Number.isFinite(vote);
const stored = () => {
  try {
    const read = JSON.parse(localStorage.getItem(place()) || '[]');
    return read.filter((one) => Array.isArray(one) && typeof one[0] === 'string' && isVote(one[1]));
  } catch { return []; }
};
const keep = () => {
  try {
    if (others.length + cast.length) localStorage.setItem(place(), JSON.stringify([...others, ...cast]));
    else localStorage.removeItem(place());
    isKept = true;
  } catch { isKept = false; }  // no room, or a browser that keeps nothing for a page in a frame
};
const labelled = () => cast.filter(([, vote]) => vote !== 'skip').length;
const next = () => { const seen = new Set(cast.map(([id]) => id)); return items.find((item) => !seen.has(item.id)); };
const isPair = (item) => item.answers.length === 2;
const show = () => {
  const item = next(), n = labelled(), skipped = cast.length - n;
  const kinds = new Set(items.map((one) => (isPair(one) ? 'pair' : 'answer')));
  const word = kinds.size === 1 ? [...kinds][0] : 'item';
  const at = item ? `${isPair(item) ? 'Pair' : 'Answer'} ${cast.length + 1} of ${items.length}`
    : `All ${named(items.length, word)} seen`;
  part('progress').textContent = `${at} · ${n} labelled${skipped ? `, ${skipped} skipped` : ''}`;
  part('bar').value = cast.length / items.length;
  part('item').hidden = !item;
  const shown = item || items[items.length - 1];  // the last one's buttons stay, disabled
  part('question').textContent = isPair(shown) ? 'Which answer is better?' : 'How good is this answer?';
  for (const box of element.querySelectorAll('[data-of]')) {
    box.hidden = (box.dataset.of === 'pair') !== isPair(shown);
  }
  if (item) {
    const [left, right] = item.answers;
    const prompt = item.prompt || '(The log does not hold the prompt.)';
    const texts = {prompt, criterion: item.criterion, left, right, answer: left};
    for (const box of element.querySelectorAll('[data-text]')) {
      box.textContent = texts[box.dataset.text] || '(no text)';
      box.scrollTop = 0;
    }
    part('criterion').hidden = !item.criterion;
    part('rating').value = '';
  }
  for (const button of element.querySelectorAll('[data-vote], [data-rate], [data-rating]')) button.disabled = !item;
  part('undo').disabled = !cast.length;
  part('finish').textContent = n ? `Finish: report with ${named(n, 'label')}` : 'Back to the report';
  part('forget').hidden = !(cast.length + others.length);
  part('forget').textContent = isSure ? `Really forget ${named(cast.length + others.length, 'label')}?`
    : 'Forget my labels';
  const keys = kinds.has('pair') ? 'Keys 1, 2, 3, S and U work' : 'Digits, Enter, S and U work';
  part('kept').textContent = isKept
    ? `${keys} while this part of the page has the focus. Your labels, and no texts, stay in this `
      + 'browser: after a reload drop the same log and go on where you were.'
    : 'This browser keeps nothing: finish and download your labels before you leave the page.';
};
const begin = () => {
  if (!props.value || !part('progress')) return;
  items = props.value.items;
  ids = new Set(items.map((item) => item.id));
  const known = isKept ? stored() : [...others, ...cast];
  others = known.filter(([id]) => !ids.has(id));
  cast = known.filter(([id]) => ids.has(id));
  isSure = false;
  keep();
  const {words, low, high} = props.value.scale;
  part('scale').textContent = words;
  if (low !== null) Object.assign(part('rating'), {min: low, max: high});
  part('drawn').textContent = props.value.drawn;
  show();
  element.querySelector('section').focus();
};
const act = (change) => {
  change();
  keep();
  show();
  const section = element.querySelector('section'), focused = document.activeElement;
  if (focused === document.body || focused?.disabled || focused?.closest('[hidden]')) section.focus();
  if (section.getBoundingClientRect().top < 0) section.scrollIntoView();
};
const vote = (word) => {
  const item = next();
  if (item) act(() => { cast.push([item.id, word]); isSure = false; });
};
const undo = () => { if (cast.length) act(() => { cast.pop(); isSure = false; }); };
element.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button || button.disabled) return;
  if (button.dataset.vote) vote(button.dataset.vote);
  else if ('undo' in button.dataset) undo();
  else if ('forget' in button.dataset) {
    act(() => { if (isSure) { cast = []; others = []; } isSure = !isSure && cast.length + others.length > 0; });
  } else if ('finish' in button.dataset) {
    trigger('finished', {votes: Object.fromEntries([...others, ...cast].filter(([, word]) => word !== 'skip'))});
  }
});
element.addEventListener('submit', (event) => {
  event.preventDefault();  // the browser has told whoever typed what is no rating
  vote(part('rating').valueAsNumber);
});
element.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !part('progress')) return;
  const key = event.key.toLowerCase(), item = next();
  if (key === 's') vote('skip');
  else if (key === 'u') undo();
  else if (item && isPair(item) && KEYS[key]) vote(KEYS[key]);
  else {
    if (item && !isPair(item) && /^[-.0-9]$/.test(key)) part('rating').focus();  // it is typed there
    return;
  }
  event.preventDefault();
});
watch('value', () => requestAnimationFrame(begin));
begin();
