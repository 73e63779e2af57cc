import { describe, expect, it } from "bun:test";
import { connectionSettings } from "./connection-settings.ts";

describe("LIMINAL_DATABASE_URL", () => {
  it("names user, password, host, port and database, with special characters as %-codes", () => {
    const near = { port: 5432, socketDir: null };
    expect(connectionSettings("postgres://me:p%40ss@127.0.0.1:6000/liminal")).toEqual({
      ...{ username: "me", password: "p@ss", database: "liminal", tls: "disable", rootCertificate: null },
      hosts: [{ ...near, hostname: "127.0.0.1", port: 6000 }],
    });
    expect(connectionSettings("postgresql://me@localhost/liminal?host=/run/postgresql")).toMatchObject({
      ...{ password: "", tls: "disable" },
      hosts: [{ hostname: "localhost", port: 5432, socketDir: "/run/postgresql" }],
    });
  });

  it("[SC-5] may name several hosts, as libpq has them", () => {
    const hostsOf = (url: string) =>
      connectionSettings(url).hosts.map(({ hostname, port, socketDir }) => socketDir ?? `${hostname} ${port}`);
    expect(hostsOf("postgres://me:p%2Cw@db-1,db-2:6432/liminal?target_session_attrs=primary")).toEqual([
      "db-1 5432",
      "db-2 6432",
    ]);
    expect(hostsOf("postgres://me@[::1]:1,[fd00::7]/liminal")).toEqual(["[::1] 1", "[fd00::7] 5432"]);
    expect(hostsOf("postgres://me@localhost/liminal?host=/run/a,/run/b")).toEqual(["/run/a", "/run/b"]);
    expect(connectionSettings("postgres://me@127.0.0.1,db.example.com/liminal").tls).toBe("verify-full");
    expect(connectionSettings("postgres://me@db/x?sslrootcert=/etc/ca.pem").rootCertificate).toBe("/etc/ca.pem");
    for (const url of ["postgres://me@a,/x", "postgres://me@a:b,c/x", "postgres://me@[::1,c/x"])
      expect(() => connectionSettings(url)).toThrow("must look like");
    expect(() => connectionSettings("postgres://me@a,b/x?target_session_attrs=any")).toThrow(
      "the one that takes changes is used",
    );
    expect(() => connectionSettings("postgres://me@127.0.0.1,10.0.0.1/x?sslmode=disable")).toThrow("without TLS");
  });

  it("[SC-42] a connection to another machine is encrypted, and its certificate checked unless configured otherwise", () => {
    const tlsOf = (url: string) => connectionSettings(url).tls;
    expect(tlsOf("postgres://me@db.example.com/liminal")).toBe("verify-full");
    expect(tlsOf("postgres://me@db.example.com/liminal?sslmode=require")).toBe("require");
    expect(() => tlsOf("postgres://me@db.example.com/liminal?sslmode=disable")).toThrow("sslmode=verify-full");
    expect(() => tlsOf("postgres://me@10.0.0.1/liminal?sslmode=disable")).toThrow("without TLS to another machine");
    expect(() => tlsOf("postgres://me@localhost.example.com/liminal?sslmode=disable")).toThrow("without TLS");
    // These fall back to plain text where the server has nothing else.
    for (const mode of ["allow", "prefer", "anything"])
      expect(() => tlsOf(`postgres://me@db.example.com/liminal?sslmode=${mode}`)).toThrow("unknown sslmode");
    expect([tlsOf("postgres://me@[::1]/liminal"), tlsOf("postgres://me@localhost/liminal")]).toEqual([
      "disable",
      "disable",
    ]);
  });

  it("[SC-4] the error for an unusable URL explains the format, and never repeats the password", () => {
    for (const url of [
      "",
      "liminal",
      "mysql://me@host/liminal",
      "postgres://host/liminal",
      "postgres://me:secret@host",
    ]) {
      expect(() => connectionSettings(url)).toThrow("must look like postgres://user:password@host:5432/database");
      expect(() => connectionSettings(url)).not.toThrow("secret");
    }
  });
});
