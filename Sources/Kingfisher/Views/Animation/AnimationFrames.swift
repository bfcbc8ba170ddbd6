import Foundation
import KingfisherImage

/// What is held of one animation at one size, and who plays it.
struct AnimationFrames: Sendable {
    /// One frame's place.
    enum Slot: Sendable {
        case empty
        case decoding
        case ready(PixelBuffer)
        /// The file is broken here.
        case missing
    }

    /// One view that plays the animation.
    struct Player: Sendable {
        /// The frame that the player shows.
        var index: Int
        /// Frames to have ready after that one.
        let ahead: Int
        /// Whether the player is moving on.
        var isActive = false
        /// The frame that the player waits for.
        var awaited: Int?
        /// Called once the frame waited for has come.
        let notify: @Sendable () -> Void
    }

    /// A frame to be decoded, and how soon it will be shown.
    struct Want: Hashable {
        let index: Int
        let time: TimeInterval
        /// Whether a player cannot go on without it.
        let isDue: Bool
    }

    let loop: FrameLoop
    let decoders: FrameDecoders
    /// Bytes that a decoded frame is expected to take.
    let frameBytes: Int
    var slots: [Slot]
    var players: [Int: Player] = [:]
    /// The frame after the one that was decoded last.
    var nextDecoded = 0
    /// Whether somebody is decoding.
    var isFilling = false
    /// Bytes set aside for what the decoders need beside the frames.
    var decoderBytes = 0

    init(_ decoders: FrameDecoders, loop: FrameLoop, frameBytes: Int) {
        self.decoders = decoders
        self.loop = loop
        self.frameBytes = frameBytes
        slots = Array(repeating: .empty, count: loop.count)
    }

    /// The bytes of all frames, those included that are being decoded.
    var bytes: Int { slots.reduce(0) { $0 + bytes(of: $1) } }

    func bytes(of slot: Slot) -> Int {
        switch slot {
        case .empty, .missing: 0
        case .decoding: frameBytes
        case .ready(let pixels): pixels.byteCount
        }
    }

    /// Whether no player moves on or waits for a frame.
    var isResting: Bool { players.values.allSatisfy { !$0.isActive && $0.awaited == nil } }

    /// The missing frame that will be shown soonest; nil when every player has what it may have ahead.
    ///
    /// Of those that players cannot go on without, the next one upwards of where a decoder has just been:
    /// to jump between players by the hair's breadth that one is due before the other costs many frames
    /// each time.
    func mostWanted() -> Want? {
        let wants = players.values.compactMap(want(of:))
        let nextDue = wants.lazy.filter { $0.isDue }.min {
            loop.steps(from: nextDecoded, to: $0.index) < loop.steps(from: nextDecoded, to: $1.index)
        }
        return nextDue ?? wants.min { $0.time < $1.time }
    }

    private func want(of player: Player) -> Want? {
        if let awaited = player.awaited, case .empty = slots[awaited] {
            return Want(index: awaited, time: loop.time(from: player.index, to: awaited), isDue: true)
        }
        guard player.isActive else { return nil }
        for step in 0...min(max(player.ahead, 0), loop.count - 1) {
            let index = (player.index + step) % loop.count
            guard case .empty = slots[index] else { continue }
            return Want(
                index: index, time: loop.time(from: player.index, to: index), isDue: step < 2)
        }
        return nil
    }

    /// Seconds until each frame is shown by any player; infinite when nobody plays.
    var timesToNextShow: [TimeInterval] {
        var times = Array(repeating: TimeInterval.infinity, count: loop.count)
        let playing = Set(players.values.lazy.filter { $0.isActive }.map { $0.index })
        guard var nearest = playing.max() else { return times }
        for index in times.indices {
            if playing.contains(index) { nearest = index }
            times[index] = loop.time(from: nearest, to: index)
        }
        return times
    }

    /// The frames that stay whatever happens: those that are shown, and the next one of whoever moves on.
    var kept: Set<Int> {
        Set(players.values.flatMap { $0.isActive ? [$0.index, ($0.index + 1) % loop.count] : [$0.index] })
    }

    /// Whether a player other than `id` shows the frame at `index`, or will do so soon.
    func isNeeded(_ index: Int, byOthersThan id: Int) -> Bool {
        players.contains { other, player in
            other != id
                && loop.steps(from: player.index, to: index) <= (player.isActive ? player.ahead : 0)
        }
    }
}
