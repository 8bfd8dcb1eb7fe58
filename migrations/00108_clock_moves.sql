-- +goose Up
-- How far an application's clock was ahead since when, by the machines' time, in microseconds: what is kept by the machines' time is shown by
-- the application's. What was kept before the first of these stays as it is.
CREATE TABLE application_clock_moves (
    application_id bigint NOT NULL REFERENCES applications (id),
    moved_at timestamptz NOT NULL,
    ahead bigint NOT NULL CHECK (ahead >= 0),
    PRIMARY KEY (application_id, moved_at)
);
INSERT INTO application_clock_moves (application_id, moved_at, ahead) SELECT application_id, now(), ahead FROM application_clocks;
-- The application's time at a time of the machines. Where no move is known, the clock was not moved.
CREATE FUNCTION application_time(application bigint, machine timestamptz) RETURNS timestamptz LANGUAGE sql STABLE
RETURN machine + coalesce((SELECT ahead FROM application_clock_moves WHERE application_id = application AND moved_at <= machine
    ORDER BY moved_at DESC LIMIT 1), 0) * interval '1 microsecond';
