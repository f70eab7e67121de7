// All that the server has of the user, as data for one file.

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
