// Who answers: the same PHP code on classic threads and on worker threads, and Go.
const endpoints = { classic: 'api.php', worker: 'worker/', go: 'go/' };

export const modes = Object.keys(endpoints);
export const phpModes = ['classic', 'worker'];

/** Reads: a GET with a query. */
export const read = (mode, action, query = {}) => send(mode, `?${new URLSearchParams({ action, ...query })}`, { cache: 'no-store' });

/** Changes: a POST with JSON. */
export const change = (mode, action, order = {}) =>
  send(mode, '', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ action, ...order }) });

/** Gives the answer; an Error says in plain words what went wrong. */
async function send(mode, query, options) {
  let response;
  try {
    response = await fetch(endpoints[mode] + query, options);
  } catch {
    throw new Error('The server does not answer. Is it running?');
  }
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Error(`${endpoints[mode]} answered with status ${response.status} and no JSON. The server's log says why.`);
  }
  if (!response.ok) {
    throw new Error(body.error ?? `${endpoints[mode]} answered with status ${response.status}.`);
  }
  return body;
}
