/** How long to wait before each automatic restart of an agent that crashed; then it is the user's turn. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
