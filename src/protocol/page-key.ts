/** The second secret of a signed-in browser, which no cookie carries: as a header of requests. */
export const PAGE_KEY_HEADER = "X-Liminal-Key";
/** Before the key, as the name of a subprotocol of the socket. */
export const PAGE_KEY_PROTOCOL = "liminal.key.";
/** The subprotocol that the server chooses, so that the key is not repeated in an answer. */
export const SOCKET_PROTOCOL = "liminal";
/** The parameter of the sign-in redirect's fragment that hands the key over. */
export const PAGE_KEY_PARAMETER = "key";
/** The parameter of an address that makes one download possible without a header. */
export const TICKET_PARAMETER = "ticket";
