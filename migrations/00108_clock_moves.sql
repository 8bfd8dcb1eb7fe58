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
