package clock

// A statement that moves a clock is put between these two, which record the move: what is kept by the machines' time is
// shown by the application's (application_time in SQL).
const kept = `WITH moved AS (`

const keep = ` RETURNING application_id, ahead)
	INSERT INTO application_clock_moves (application_id, moved_at, ahead) SELECT application_id, @machine, ahead
		FROM moved
	ON CONFLICT (application_id, moved_at) DO UPDATE SET ahead = excluded.ahead`
