import Foundation
import KingfisherImage

/// The books of all decoded frames in the process: what is held, for whom, and which frame is next to be
/// decoded or to go. Decides; decodes nothing.
///
/// The frame that goes is the one whose next showing is farthest away. That is also the best that any policy
/// could do, as an animation's future is known. Decoders of animations that nobody plays go before any frame.
struct FrameLedger: Sendable {
    /// One animation at one size.
    struct Key: Hashable, Sendable {
        let source: ObjectIdentifier
        let size: PixelSize
    }

    /// A frame to be decoded.
    struct Job: Sendable {
        let index: Int
        /// Whether another decoder may be made for players that are far apart.
        let mayAddDecoder: Bool
    }

    /// The share of the limit that decoders after each animation's first may take.
    static let decoderShare = 4

    private(set) var limit: Int
    /// Bytes of all frames and of what their decoders need.
    private(set) var used = 0
    private(set) var animations: [Key: AnimationFrames] = [:]
    private var lastPlayer = 0

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    // MARK: Players

    mutating func join(
        _ key: Key, _ player: AnimationFrames.Player, make: () -> AnimationFrames
    ) -> (id: Int, decoders: FrameDecoders) {
        lastPlayer += 1
        var animation = animations[key] ?? make()
        animation.players[lastPlayer] = player
        animations[key] = animation
        return (lastPlayer, animation.decoders)
    }

    /// The last to leave takes all frames along: they are handed out, to be freed outside the lock.
    mutating func leave(_ key: Key, _ id: Int) -> AnimationFrames? {
        animations[key]?.players[id] = nil
        guard let animation = animations[key], animation.players.isEmpty else { return nil }
        used -= animation.bytes + animation.decoderBytes
        return animations.removeValue(forKey: key)
    }

    mutating func setActive(_ isActive: Bool, _ key: Key, _ id: Int) {
        animations[key]?.players[id]?.isActive = isActive
        if !isActive { animations[key]?.players[id]?.awaited = nil }
    }

    /// Moves a player to the frame at `index`, or notes that it waits for that frame.
    mutating func take(_ index: Int, _ key: Key, _ id: Int) -> AnimationFrames.Slot {
        guard let slot = animations[key]?.slots[index] else { return .missing }
        switch slot {
        case .empty, .decoding:
            animations[key]?.players[id]?.awaited = index
        case .ready, .missing:
            animations[key]?.players[id]?.index = index
            animations[key]?.players[id]?.awaited = nil
        }
        return slot
    }

    // MARK: Decoding

    /// Whether there is something to decode that nobody is decoding.
    func hasWork(_ key: Key) -> Bool {
        guard let animation = animations[key], !animation.isFilling else { return false }
        return animation.mostWanted() != nil
    }

    /// Says whether the caller may decode; one at a time for an animation, as its frames build on each other.
    mutating func beginFilling(_ key: Key) -> Bool {
        guard animations[key]?.isFilling == false else { return false }
        animations[key]?.isFilling = true
        return true
    }

    /// The next frame to decode, its memory set aside; nil ends the filling.
    mutating func claim(_ key: Key) -> Job? {
        guard let animation = animations[key], let want = animation.mostWanted(),
            makeRoom(animation.frameBytes, laterThan: want.time) || want.isDue
        else {
            animations[key]?.isFilling = false
            return nil
        }
        reserve(want.index, key)
        return Job(index: want.index, mayAddDecoder: mayAddDecoder(to: animation))
    }

    /// Sets memory aside for a frame that is decoded out of turn; false when it is not missing.
    mutating func claim(_ index: Int, _ key: Key) -> Bool {
        guard let animation = animations[key], case .empty = animation.slots[index] else { return false }
        _ = makeRoom(animation.frameBytes, laterThan: 0)
        reserve(index, key)
        return true
    }

    private mutating func reserve(_ index: Int, _ key: Key) {
        animations[key]?.slots[index] = .decoding
        used += animations[key]?.frameBytes ?? 0
    }

    private func mayAddDecoder(to animation: AnimationFrames) -> Bool {
        let all = animations.values.reduce(0) { $0 + $1.decoderBytes }
        let active = animation.players.values.count { $0.isActive }
        return all + animation.decoders.bytesEach <= limit / Self.decoderShare
            && animation.decoderBytes < active * animation.decoders.bytesEach
    }

    /// Enters what came of a job and returns whom to tell.
    mutating func complete(_ index: Int, _ key: Key, pixels: PixelBuffer?) -> [@Sendable () -> Void] {
        chargeDecoders(key)
        guard var animation = animations[key] else { return [] }
        used -= animation.bytes(of: animation.slots[index])
        animation.slots[index] = pixels.map { .ready($0) } ?? .missing
        used += animation.bytes(of: animation.slots[index])
        animation.nextDecoded = (index + 1) % animation.loop.count
        let waiting = animation.players.filter { $0.value.awaited == index }
        for id in waiting.keys { animation.players[id]?.awaited = nil }
        animations[key] = animation
        _ = makeRoom(0, laterThan: 0)
        return waiting.values.map(\.notify)
    }

    // MARK: Memory

    mutating func setLimit(_ limit: Int) {
        self.limit = max(limit, 0)
        free(used - self.limit, laterThan: 0, partially: true)
    }

    /// Frees frames down to `bytes`, as far as they are neither shown nor the next to be.
    mutating func trim(to bytes: Int) {
        free(used - bytes, laterThan: -1, partially: true)
    }

    /// Drops the frames that only the player `id` has a use for.
    mutating func purge(_ key: Key, _ id: Int, keepCurrent: Bool) {
        guard let animation = animations[key], let player = animation.players[id] else { return }
        for index in animation.slots.indices where !(keepCurrent && index == player.index) {
            if !animation.isNeeded(index, byOthersThan: id) { drop(index, key) }
        }
        if animation.isResting { dropIdleDecoders(key) }
    }

    /// Frees what nobody plays, then frames that are shown later than `time`, until there is room; nothing
    /// when all that does not suffice.
    private mutating func makeRoom(_ bytes: Int, laterThan time: TimeInterval) -> Bool {
        free(used + bytes - limit, laterThan: time, partially: bytes == 0)
    }

    @discardableResult
    private mutating func free(_ bytes: Int, laterThan time: TimeInterval, partially: Bool) -> Bool {
        guard bytes > 0 else { return true }
        var candidates: [(key: Key, index: Int, time: TimeInterval, bytes: Int)] = []
        var (resting, idleBytes): ([Key], Int) = ([], 0)
        for (key, animation) in animations {
            if animation.isResting {
                resting.append(key)
                idleBytes += animation.decoders.idleBytes
            }
            let (kept, times) = (animation.kept, animation.timesToNextShow)
            for (index, slot) in animation.slots.enumerated() {
                guard case .ready(let pixels) = slot, !kept.contains(index) else { continue }
                if times[index] > time { candidates.append((key, index, times[index], pixels.byteCount)) }
            }
        }
        guard partially || candidates.reduce(idleBytes, { $0 + $1.bytes }) >= bytes else { return false }
        candidates.sort { ($0.time, $0.index) > ($1.time, $1.index) }
        var missing = bytes
        for key in resting where missing > 0 {
            let before = used
            dropIdleDecoders(key)
            missing -= before - used
        }
        for candidate in candidates where missing > 0 {
            drop(candidate.index, candidate.key)
            missing -= candidate.bytes
        }
        return missing <= 0
    }

    private mutating func dropIdleDecoders(_ key: Key) {
        animations[key]?.decoders.dropIdle()
        chargeDecoders(key)
    }

    /// Brings the books up to date with the decoders that there are.
    private mutating func chargeDecoders(_ key: Key) {
        guard let animation = animations[key] else { return }
        let bytes = animation.decoders.bytes
        used += bytes - animation.decoderBytes
        animations[key]?.decoderBytes = bytes
    }

    private mutating func drop(_ index: Int, _ key: Key) {
        guard let animation = animations[key], case .ready = animation.slots[index] else { return }
        used -= animation.bytes(of: animation.slots[index])
        animations[key]?.slots[index] = .empty
    }
}
