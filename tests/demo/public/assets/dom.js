export const $ = (id) => document.getElementById(id);

/** An element with properties and children. Text goes in as text, never as markup. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Writes only what changed, so that live regions speak only then. */
export function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Shows what is wrong, or with '' nothing. */
export function problem(target, text) {
  write(target, text);
  target.hidden = text === '';
}

/** Runs a user's action with some controls off; a failure is passed on as its text, never thrown. */
export async function act(controls, action, failed) {
  const focused = document.activeElement;
  for (const control of controls) control.disabled = true;
  try {
    await action();
  } catch (error) {
    failed(error.message);
  } finally {
    for (const control of controls) control.disabled = false;
    if (document.activeElement === document.body) focused?.focus();
  }
}

/** Calls a reader once a second, while the page is seen; what it throws is shown until it succeeds again. */
export async function everySecond(reader, failing = false) {
  let fails = failing;
  if (!document.hidden) {
    try {
      await reader();
      if (fails) problem($('problem'), '');
      fails = false;
    } catch (error) {
      problem($('problem'), error.message);
      fails = true;
    }
  }
  setTimeout(() => everySecond(reader, fails), 1000);
}
