-- +goose Up
-- How far a sandbox application's clock stands ahead of the machines', in microseconds. An
-- application without a row goes by the machines' time.
CREATE TABLE application_clocks (
    application_id bigint PRIMARY KEY REFERENCES applications (id),
    ahead bigint NOT NULL CHECK (ahead >= 0),
    -- Until when, by the machines' time, the clock belongs to the request that moves it; null: nobody does.
    held_until timestamptz
);
