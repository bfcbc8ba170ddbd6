import Foundation
import KingfisherImage

/// The frames and players of one animation at one size.
struct AnimationFrames: Sendable {
    enum Slot: Sendable {
        case empty
        case decoding
        case ready(PixelBuffer)
        case missing
    }

    struct Player: Sendable {
        var index: Int
        let ahead: Int
        var isActive = false
        var awaited: Int?
        let notify: @Sendable () -> Void
    }

    /// A frame to decode, and the seconds until it is shown. A due frame is one that a player needs to
    /// continue.
    struct NeededFrame: Hashable {
        let index: Int
        let time: TimeInterval
        let isDue: Bool
    }

    let loop: FrameLoop
    let decoders: FrameDecoders
    let frameBytes: Int
    var slots: [Slot]
    var players: [Int: Player] = [:]
    var nextDecoded = 0
    var isFilling = false
    var decoderBytes = 0

    init(_ decoders: FrameDecoders, loop: FrameLoop, frameBytes: Int) {
        self.decoders = decoders
        self.loop = loop
        self.frameBytes = frameBytes
        slots = Array(repeating: .empty, count: loop.count)
    }

    var bytes: Int { slots.reduce(0) { $0 + bytes(of: $1) } }

    func bytes(of slot: Slot) -> Int {
        switch slot {
        case .empty, .missing: 0
        case .decoding: frameBytes
        case .ready(let pixels): pixels.byteCount
        }
    }

    var isResting: Bool { players.values.allSatisfy { !$0.isActive && $0.awaited == nil } }

    /// The missing frame that will be shown soonest; nil if every player has its frames decoded ahead.
    ///
    /// Of the frames that are due, takes the next one in file order after the last decoded: jumping between
    /// players by due time would compose many frames each time.
    func nextNeeded() -> NeededFrame? {
        let needed = players.values.compactMap(frameNeeded(by:))
        let nextDue = needed.lazy.filter { $0.isDue }.min {
            loop.steps(from: nextDecoded, to: $0.index) < loop.steps(from: nextDecoded, to: $1.index)
        }
        return nextDue ?? needed.min { $0.time < $1.time }
    }

    private func frameNeeded(by player: Player) -> NeededFrame? {
        if let awaited = player.awaited, case .empty = slots[awaited] {
            return NeededFrame(index: awaited, time: loop.time(from: player.index, to: awaited), isDue: true)
        }
        guard player.isActive else { return nil }
        for step in 0...min(max(player.ahead, 0), loop.count - 1) {
            let index = (player.index + step) % loop.count
            guard case .empty = slots[index] else { continue }
            return NeededFrame(
                index: index, time: loop.time(from: player.index, to: index), isDue: step < 2)
        }
        return nil
    }

    /// Seconds until any player shows each frame; infinity if no player is active.
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

    /// The frames that are never evicted: those that are visible, and the next one of each active player.
    var pinned: Set<Int> {
        Set(players.values.flatMap { $0.isActive ? [$0.index, ($0.index + 1) % loop.count] : [$0.index] })
    }

    func isNeeded(_ index: Int, byOthersThan id: Int) -> Bool {
        players.contains { other, player in
            other != id
                && loop.steps(from: player.index, to: index) <= (player.isActive ? player.ahead : 0)
        }
    }
}
