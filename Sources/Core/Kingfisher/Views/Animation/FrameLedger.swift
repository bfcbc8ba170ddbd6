import Foundation
import KingfisherImage

/// The state of all decoded frames in the process: what is cached, for which players, and which frame is
/// decoded or evicted next. It only decides; it does not decode.
///
/// Evicts the frame whose next display is farthest away. This is optimal, because the order of frames is
/// known. Decoders of animations that are not playing are released before any frame.
struct FrameLedger: Sendable {
    struct Key: Hashable, Sendable {
        let source: ObjectIdentifier
        let size: PixelSize
    }

    struct Job: Sendable {
        let index: Int
        let mayAddDecoder: Bool
    }

    /// The divisor of the limit for additional decoders: all decoders together may use a quarter of it.
    static let decoderShare = 4

    private(set) var limit: Int
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

    /// Removes a player. With the last one, all frames are returned, to be freed outside the lock.
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

    func hasWork(_ key: Key) -> Bool {
        guard let animation = animations[key], !animation.isFilling else { return false }
        return animation.nextNeeded() != nil
    }

    /// Returns whether the caller may decode. Only one thread decodes an animation, as its frames build on
    /// each other.
    mutating func beginFilling(_ key: Key) -> Bool {
        guard animations[key]?.isFilling == false else { return false }
        animations[key]?.isFilling = true
        return true
    }

    /// Reserves memory for the next frame to decode. Returns nil, and ends filling, if no frame is needed or
    /// there is not enough memory.
    mutating func claim(_ key: Key) -> Job? {
        guard let animation = animations[key], let needed = animation.nextNeeded(),
            makeRoom(animation.frameBytes, laterThan: needed.time) || needed.isDue
        else {
            animations[key]?.isFilling = false
            return nil
        }
        reserve(needed.index, key)
        return Job(index: needed.index, mayAddDecoder: mayAddDecoder(to: animation))
    }

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

    /// Records the result of a job and returns the callbacks to call outside the lock.
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

    /// Evicts frames until at most `bytes` are used, except pinned ones.
    mutating func trim(to bytes: Int) {
        free(used - bytes, laterThan: -1, partially: true)
    }

    mutating func purge(_ key: Key, _ id: Int, keepCurrent: Bool) {
        guard let animation = animations[key], let player = animation.players[id] else { return }
        for index in animation.slots.indices where !(keepCurrent && index == player.index) {
            if !animation.isNeeded(index, byOthersThan: id) { drop(index, key) }
        }
        if animation.isResting { dropIdleDecoders(key) }
    }

    /// Frees idle decoders, then frames that are shown later than `time`, until there is room. Frees nothing
    /// if that is not enough.
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
            let (pinned, times) = (animation.pinned, animation.timesToNextShow)
            for (index, slot) in animation.slots.enumerated() {
                guard case .ready(let pixels) = slot, !pinned.contains(index) else { continue }
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
