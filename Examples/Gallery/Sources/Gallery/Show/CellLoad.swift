import KingfisherGTK

/// A picture on its way into a cell of the window.
@MainActor final class CellLoad {
    private static let fade: TimeInterval = 0.6

    let exhibit: Exhibit
    private let view: ImageView
    private let clock: HalfwayClock?
    private var result: Result<RetrieveImageResult, KingfisherError>?

    /// Begins to load.
    ///
    /// - Parameter haltsHalfway: whether the fade stands still in its midst until `resume()`.
    init(
        _ exhibit: Exhibit, at url: URL, into view: ImageView, placeholder: Image, haltsHalfway: Bool = false
    ) {
        self.exhibit = exhibit
        self.view = view
        clock = haltsHalfway ? HalfwayClock(halt: Self.fade / 2) : nil
        view.clock = clock
        view.kf.indicatorType = .activity
        view.kf.setImage(
            with: url, placeholder: placeholder, options: exhibit.options + [.transition(.fade(Self.fade))]
        ) { self.result = $0 }
    }

    /// Whether the fade stands still, or is over where the user's settings allow no motion. Throws the load's error.
    var isHalfway: Bool {
        get throws { try isComplete || (view.runningTransition != nil && view.transitionProgress == 0.5) }
    }

    /// Whether the picture is there and has stopped fading. Throws the load's error.
    var isComplete: Bool {
        get throws {
            if case .failure(let error) = result { throw Failure("\(exhibit.file): \(error)") }
            return result != nil
        }
    }

    func resume() {
        clock?.resume()
    }
}
