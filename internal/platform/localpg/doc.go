// Package localpg runs a durable local PostgreSQL server when no database is configured, as root (the server then runs
// as another user) or as an ordinary user.
//
// Three files in the state directory coordinate processes:
//
//   - postgres.owner is locked by the process that starts the server, while server and process live. A process that
//     finds it locked uses that server.
//   - postgres.lock is locked by the server itself: its processes inherit the open file, so the kernel releases the
//     lock when the last of them is gone, and not before. A process id can be recycled, a lock cannot.
//   - postgres.log is the server's output.
//
// The data is in postgres/, which appears by a rename, complete.
package localpg
