// The two endpoints: the same code, answered by classic threads and by worker threads.
const endpoints = { classic: 'api.php', worker: 'worker/' };

export const modes = Object.keys(endpoints);

/** Sends one action and gives the answer; an Error says in plain words what went wrong. */
export async function send(mode, action, options = {}) {
  const url = `${endpoints[mode]}?${new URLSearchParams({ action, ...options })}`;
  const method = action === 'state' ? 'GET' : 'POST';
  let response;
  try {
    response = await fetch(url, { method, cache: 'no-store' });
  } catch {
    throw new Error('The server does not answer. Is it running?');
  }
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Error(
      mode === 'worker'
        ? `No worker answers under /worker/ (status ${response.status}). Does the Caddyfile have the worker?`
        : `api.php answered with status ${response.status} and no JSON. The server's log says why.`,
    );
  }
  if (!response.ok) {
    throw new Error(body.error ?? `The ${mode} endpoint answered with status ${response.status}.`);
  }
  return body;
}

/**
 * Sends n increments at once, in turn to each mode, and gives the outcomes as Promise.allSettled does. The browser
 * decides how many connections it opens: six over plain HTTP.
 */
export function burst(n, steps, onAnswer) {
  return Promise.allSettled(
    Array.from({ length: n }, async (_, i) => {
      try {
        return await send(modes[i % modes.length], 'increment', { steps });
      } finally {
        onAnswer();
      }
    }),
  );
}
