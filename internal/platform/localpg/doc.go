// Package localpg runs a PostgreSQL server of our own, durably, when no
// database is given: as root (the server then runs as another user) and as an
// ordinary user.
//
// Three files in the state directory decide everything:
//
//   - postgres.owner is locked by the process that starts the server, for as
//     long as server and process live. Whoever finds it locked adopts.
//   - postgres.lock is locked by the server itself: its processes inherit the
//     open file, so the kernel frees the lock when the last of them is gone,
//     and not before. A process id can be recycled, a lock cannot.
//   - postgres.log is what the server says.
//
// The data is in postgres/. It appears there by a rename, complete.
package localpg
