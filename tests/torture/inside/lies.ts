/** Lines that no honest agent writes: other people's ids, wrong types, answers nobody asked for, ids used twice. */
export function lies(sessionId: string, requestId: string | number): readonly string[] {
  const line = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
  const said = (session: unknown, update: unknown) =>
    line({ method: "session/update", params: { sessionId: session, update } });
  const chunk = (text: unknown) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  const permission = { toolCall: { toolCallId: "lie" }, options: [{ optionId: "a", name: "A", kind: "allow_once" }] };
  return [
    said("nobody", chunk("for nobody")),
    said(42, chunk("for a number")),
    said(sessionId, chunk(42)),
    said(sessionId, { sessionUpdate: "agent_message_chunk" }),
    said(sessionId, { sessionUpdate: "no_such_update", content: [null, { deep: [[[]]] }] }),
    said(sessionId, { sessionUpdate: "plan", entries: "none" }),
    said(sessionId, null),
    line({ id: "never-asked", result: { stopReason: "end_turn" } }),
    line({ id: null, error: { code: -32_700, message: "made up" } }),
    line({ id: [requestId], result: { stopReason: "end_turn" } }),
    line({ id: "same", method: "session/request_permission", params: { sessionId: "nobody", ...permission } }),
    line({ id: "same", method: "session/request_permission", params: { sessionId: "nobody", ...permission } }),
    line({ id: "what", method: "no/such_method", params: 7 }),
    line({ method: "session/update" }),
    '{"jsonrpc":"2.0","method":"session/upd',
    "[]",
    "\u0000\u0007 not JSON at all",
    "",
  ];
}
