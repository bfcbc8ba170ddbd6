// Placeholder until this suite's first file lands.
