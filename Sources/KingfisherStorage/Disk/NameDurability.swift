/// Whether the names of the cache folder and of those above it are known to outlive a power cut.
///
/// Whoever syncs them notes that only if no folder was made since the first sync began: others make
/// folders at the same time.
struct NameDurability: Sendable {
    private var generation = 0
    private var makers = 0
    private var isKnown = false

    /// What to hand to `noteSync` after the names were synced; nil where that need not be done.
    var due: Int? { isKnown ? nil : generation }

    /// Somebody is about to make folders, and ends that by `endMaking`.
    mutating func beginMaking() {
        makers += 1
        isKnown = false
    }

    mutating func endMaking() {
        makers -= 1
        generation += 1
    }

    /// - Parameter generation: What was due before the first sync.
    mutating func noteSync(_ generation: Int) {
        if generation == self.generation, makers == 0 { isKnown = true }
    }
}
