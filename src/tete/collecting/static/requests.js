// Requests to the server. Addresses are relative to the page, so that a proxy may serve it under a path of its own.

const LONGEST = 15_000; // milliseconds; then a connection counts as lost

/** The status and what was said. Throws where there is no connection or the answer cannot be read. */
export async function request(method, path, { key = null, body = null } = {}) {
  const headers = {};
  if (key !== null) headers.Authorization = `Bearer ${key}`;
  if (body !== null) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {
    method,
    headers,
    body: body === null ? undefined : JSON.stringify(body),
    keepalive: method === "POST", // an answer given just before the page is closed is still sent
    cache: "no-store",
    signal: AbortSignal.timeout(LONGEST),
  });
  const type = response.headers.get("Content-Type") ?? "";
  const said = type.startsWith("application/json") ? await response.json() : {};
  if (response.ok && !type.startsWith("application/json")) throw new Error(`${path} gave no JSON`);
  return { status: response.status, ok: response.ok, said, wait: Number(response.headers.get("Retry-After")) || 0 };
}
