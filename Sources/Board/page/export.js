// All that the server has of the user, as one file.

/** Asks for all parts and joins them: a kind of rows may go on in the next part. */
export async function gather(request) {
  const all = {};
  for (let cursor = null; ; ) {
    const query = cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const { data, nextCursor } = await request("GET", `/api/auth/export${query}`);
    for (const [kind, rows] of Object.entries(data)) (all[kind] ??= []).push(...rows);
    if (nextCursor === undefined) return all;
    cursor = nextCursor;
  }
}

/** Lets the browser save a value as a file of JSON. */
export function save(value, name) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
