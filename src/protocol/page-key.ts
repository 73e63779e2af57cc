/** The second secret of a signed-in browser, which no cookie carries: a request header. */
export const PAGE_KEY_HEADER = "X-Liminal-Key";
/** Prefix of the key as the name of a subprotocol of the socket. */
export const PAGE_KEY_PROTOCOL = "liminal.key.";
/** The subprotocol that the server chooses, so that the key is not repeated in an answer. */
export const SOCKET_PROTOCOL = "liminal";
/** The parameter in the sign-in redirect's fragment that carries the key. */
export const PAGE_KEY_PARAMETER = "key";
/** The parameter that allows one download without a header. */
export const TICKET_PARAMETER = "ticket";
