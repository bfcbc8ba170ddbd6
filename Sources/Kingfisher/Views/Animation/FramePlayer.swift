import Foundation
import KingfisherImage

/// Plays one image's frames in one view: brings timeline, clock and frames together.
@MainActor final class FramePlayer {
    let image: Image
    private let frames: any FrameSupply
    private var timeline: FrameTimeline
    /// The frame to draw; nil as long as none has come.
    private(set) var shown: Image?
    private var shownIndex: Int?
    private var isStarted: Bool
    /// When the timeline was brought up to date last; nil while it stands.
    private var lastTime: TimeInterval?
    private var isSeen = false
    private var hasNews = false

    init(_ image: Image, frames: any FrameSupply, plays: UInt?, isStarted: Bool) {
        self.image = image
        self.frames = frames
        self.isStarted = isStarted
        timeline = FrameTimeline(durations: frames.durations, plays: plays)
    }

    /// Whether frames follow each other as long as somebody looks.
    var isPlaying: Bool { isStarted && !timeline.isFinished }

    /// Plays on, or from the start when the animation has come to its end.
    func start() {
        if timeline.isFinished { timeline.restart() }
        isStarted = true
    }

    /// Stays at the current frame.
    func stop() {
        isStarted = false
    }

    /// Runs or rests, as somebody looks or not. It goes on where it was.
    func update(isSeen: Bool, at now: TimeInterval) {
        self.isSeen = isSeen
        let isRunning = isSeen && isPlaying
        if isRunning != (lastTime != nil) {
            lastTime = isRunning ? now : nil
            frames.setActive(isRunning)
            // What was waited for has been forgotten meanwhile.
            hasNews = hasNews || timeline.isHeld
        }
        // An image that is drawn is worth one frame of the right size even when it does not move.
        if isRunning || isSeen && shown != nil { showCurrent() }
    }

    /// When to be called next, in the view's time; nil when nothing will change, or when a frame is waited
    /// for.
    func nextChange(at now: TimeInterval) -> TimeInterval? {
        if hasNews, isSeen { return now }
        guard let lastTime, !timeline.isHeld, let wait = timeline.timeToNextChange, wait.isFinite else {
            return nil
        }
        return lastTime + wait
    }

    /// Brings the image up to date and says what happened on the way.
    func advance(to now: TimeInterval) -> [FrameTimeline.Event] {
        hasNews = false
        guard let last = lastTime else {
            showCurrent()
            return []
        }
        lastTime = now
        let events = timeline.advance(by: now - last) { show($0) }
        if timeline.isFinished {
            lastTime = nil
            frames.setActive(false)
            // That has made it forget whom the last frame, in a new size perhaps, is decoded for.
            showCurrent()
        } else if !timeline.isHeld {
            showCurrent()
        }
        frames.prepare()
        return events
    }

    /// Takes note that a frame has come which was not there when it was wanted.
    func frameDidArrive() {
        hasNews = true
    }

    /// Has the current frame fetched anew, in another size.
    func frameSizeDidChange() {
        shownIndex = nil
        hasNews = hasNews || timeline.isHeld
    }

    /// Shows the image's own pixels until there is a frame again.
    func forgetShown() {
        (shown, shownIndex) = (nil, nil)
    }

    private func showCurrent() {
        guard shownIndex != timeline.index else { return }
        _ = show(timeline.index)
        frames.prepare()
    }

    /// Says whether the timeline may move to the frame at `index`, and shows that if so.
    private func show(_ index: Int) -> Bool {
        switch frames.take(index) {
        case .pending: return false
        case .missing: break
        case .ready(let image): shown = image
        }
        shownIndex = index
        return true
    }
}
