/** From most to least severe. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** In the data directory: one JSON object per line. Full files have a number after their name, the oldest the highest. */
export const LOG_PATH = "logs/server.jsonl";
export const LOG_OLD_FILES_MAX = 3;
