import type { statusReport } from "./status-report.ts";

type Report = ReturnType<typeof statusReport>;
type Metric = readonly [name: string, type: "gauge" | "counter", help: string, value: number];

/** What `/api/metrics` tells, in the text format of Prometheus (0.0.4). No labels: nothing here grows without bounds. */
export function metricsText({ agents, counters, data, storage }: Report): string {
  const connected = agents.filter(({ status }) => status === "connected").length;
  const metrics: readonly Metric[] = [
    ["liminal_sessions_stored", "gauge", "Sessions that are stored.", counters.sessionsStored],
    ["liminal_sessions_loaded", "gauge", "Sessions in memory.", counters.sessionsLoaded],
    ["liminal_facts_stored", "gauge", "Facts ever stored in the sessions that are there.", counters.factsStored],
    ["liminal_agents_connected", "gauge", "Agents that are connected.", connected],
    ["liminal_agent_processes", "gauge", "Agent processes that run.", counters.agentProcesses],
    ["liminal_agent_restarts", "gauge", "Restarts of the agent processes that run.", counters.agentRestarts],
    ["liminal_sockets_open", "gauge", "Clients that are connected.", counters.socketsOpen],
    ["liminal_sockets_opened_total", "counter", "Clients that have connected.", counters.socketsOpened],
    ["liminal_sockets_slow_total", "counter", "Times a client could not take what was sent.", counters.socketsSlow],
    ["liminal_sockets_dropped_total", "counter", "Clients cut off for taking too little.", counters.socketsDropped],
    ["liminal_errors_logged_total", "counter", "Errors in the log.", counters.errorsLogged],
    ["liminal_warnings_logged_total", "counter", "Warnings in the log.", counters.warningsLogged],
    ["liminal_database_size_bytes", "gauge", "Size of the database on the disk.", data.databaseBytes],
    ["liminal_search_entries_left", "gauge", "Entries the search has not read yet.", counters.searchEntriesLeft],
    ["liminal_storage_writable", "gauge", "1 when something can be stored, else 0.", storage.writable ? 1 : 0],
  ];
  return metrics
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}`)
    .join("\n");
}
