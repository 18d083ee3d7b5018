const MOST = 8, LONGEST = 300;
const list = element.querySelector('ol');
const find = (name) => element.querySelector(`[data-${name}]`);
let rows = [];
let waiting = 0;
let isEdited = false;

const say = (text) => { find('said').textContent = text; };
const tell = (delay) => {
  const relevant = rows.findIndex((row) => row.relevant);
  props.value = {preferences: rows.map((row) => row.text), relevant: relevant < 0 ? null : relevant};
  isEdited = true;
  clearTimeout(waiting);
  waiting = setTimeout(() => trigger('edited', {}), delay);
};
const made = (tag, settings, ...children) => {
  const node = Object.assign(document.createElement(tag), settings);
  node.append(...children);
  return node;
};
const button = (face, label, act, row, disabled) => {
  const node = made('button', {type: 'button', textContent: face, title: label, disabled});
  node.setAttribute('aria-label', label);
  node.dataset.act = act;
  node.addEventListener('click', () => (act === 'drop' ? drop(row) : move(row, act === 'up' ? -1 : 1)));
  return node;
};
const drawn = (row, place) => {
  const number = place + 1;
  const field = made('textarea', {value: row.text, rows: 1, maxLength: LONGEST, dir: 'auto'});
  field.setAttribute('aria-label', `Preference ${number}`);
  field.placeholder = 'I like answers with an example.';
  field.addEventListener('input', () => { row.text = field.value; fit(field); tell(400); });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); insert(place + 1); }
    if (event.altKey && event.key === 'ArrowUp') { event.preventDefault(); move(row, -1, 'textarea'); }
    if (event.altKey && event.key === 'ArrowDown') { event.preventDefault(); move(row, 1, 'textarea'); }
  });
  const mark = made('input', {type: 'checkbox', checked: row.relevant});
  mark.addEventListener('change', () => {
    const wanted = mark.checked;
    rows.forEach((other) => { other.relevant = false; });
    row.relevant = wanted;
    draw(row, 'input');
    tell(0);
  });
  const label = made('label', {}, mark, ' relevant');
  label.title = 'Bears on the answer; at most one. The model is never told.';
  const acts = made('span', {className: 'preference-acts'}, label,
    button('↑', `Move preference ${number} up`, 'up', row, place === 0),
    button('↓', `Move preference ${number} down`, 'down', row, place === rows.length - 1),
    button('✕', `Delete preference ${number}`, 'drop', row, false));
  const item = made('li', {className: row.relevant ? 'relevant' : ''}, field, acts);
  row.item = item;
  return item;
};
const fit = (field) => { field.style.height = 'auto'; field.style.height = `${field.scrollHeight + 2}px`; };
const draw = (focused, selector) => {
  list.replaceChildren(...rows.map(drawn));
  list.querySelectorAll('textarea').forEach(fit);
  find('none').hidden = rows.length > 0;
  find('add').disabled = rows.length >= MOST;
  find('count').textContent = `${rows.length} of ${MOST}, ${LONGEST} characters each`;
  if (!focused) return;
  const wanted = focused.item.querySelector(selector);
  (wanted && !wanted.disabled ? wanted : focused.item.querySelector('textarea')).focus();
};
const move = (row, step, selector) => {
  const from = rows.indexOf(row), to = from + step;
  if (to < 0 || to >= rows.length) return;
  rows.splice(from, 1);
  rows.splice(to, 0, row);
  draw(row, selector || (step < 0 ? '[data-act=up]' : '[data-act=down]'));
  say(`Preference moved to place ${to + 1} of ${rows.length}`);
  tell(0);
};
const drop = (row) => {
  const place = rows.indexOf(row);
  rows.splice(place, 1);
  const next = rows[Math.min(place, rows.length - 1)];
  draw(next, '[data-act=drop]');
  if (!next) find('add').focus();
  say(`Preference ${place + 1} deleted`);
  tell(0);
};
const insert = (place) => {
  if (rows.length >= MOST) { say(`${MOST} preferences are the most`); return; }
  const row = {text: '', relevant: false};
  rows.splice(place, 0, row);
  draw(row, 'textarea');
  tell(400);
};
const read = () => {
  // What was said of the list as it was may arrive after the new list: it is asked for again.
  clearTimeout(waiting);
  if (isEdited) waiting = setTimeout(() => trigger('edited', {}), 0);
  isEdited = false;
  const value = props.value || {};
  rows = (value.preferences || []).map((text, place) => ({text, relevant: place === value.relevant}));
  draw();
};
find('add').addEventListener('click', () => insert(rows.length));
// A hidden form has no sizes: the fields are fitted once it is looked at.
new ResizeObserver(() => list.querySelectorAll('textarea').forEach(fit)).observe(list);
watch('value', read);
read();
