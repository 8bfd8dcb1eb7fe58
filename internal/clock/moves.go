package clock

// kept is what a statement begins with that moves a clock: it is followed by its RETURNING and [keep], which write the move down.
const kept = `WITH moved AS (`

const keep = ` RETURNING application_id, ahead)
	INSERT INTO application_clock_moves (application_id, moved_at, ahead) SELECT application_id, @machine, ahead FROM moved
	ON CONFLICT (application_id, moved_at) DO UPDATE SET ahead = excluded.ahead`

// ApplicationTime is the application's time, in SQL, at a machine's time that a row has in a column; the statement has the application's id
// as application_id. Where no move is known, the clock was not moved.
func ApplicationTime(column string) string {
	return `(` + column + ` + coalesce((SELECT k.ahead FROM application_clock_moves k
		WHERE k.application_id = @application_id AND k.moved_at <= ` + column + ` ORDER BY k.moved_at DESC LIMIT 1), 0) * interval '1 microsecond')`
}
