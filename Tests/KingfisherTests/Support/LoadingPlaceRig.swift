import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// Every property that an image can be loaded into. Tests of shared behaviour run for all of them.
enum LoadingPlace: Hashable, Sendable, CaseIterable {
    case imageView, settable, attachment, alternate
    case image(ControlState), background(ControlState)

    static var allCases: [LoadingPlace] {
        let states: [ControlState] = [
            .normal, .highlighted, .disabled, .selected, [.selected, .highlighted],
        ]
        return [.imageView, .settable, .attachment, .alternate] + states.map { .image($0) }
            + states.map { .background($0) }
    }
}

/// A custom class with an image property.
final class Badge: KingfisherHasImageComponent {
    var image: Image?
}

/// One loading place of a new object, and the bench that it loads from.
@MainActor struct LoadingPlaceRig {
    typealias Load = ImageViewLoadingRig.Load
    typealias Outcome = ImageViewLoadingRig.Outcome

    let bench: Bench
    let place: LoadingPlace
    let imageView = ImageView()
    let badge = Badge()
    let attachment = TextAttachment()
    let button: Button

    init(_ place: LoadingPlace, on button: Button = Button(), _ bench: Bench) {
        self.place = place
        self.button = button
        self.bench = bench
    }

    init(_ place: LoadingPlace) throws {
        self.init(place, try Bench())
    }

    /// The image set for this place.
    var image: Image? {
        get {
            switch place {
            case .imageView: imageView.image
            case .settable: badge.image
            case .attachment: attachment.image
            case .alternate: button.alternateImage
            case .image(let state): button.image(for: state)
            case .background(let state): button.backgroundImage(for: state)
            }
        }
        nonmutating set {
            switch place {
            case .imageView: imageView.image = newValue
            case .settable: badge.image = newValue
            case .attachment: attachment.image = newValue
            case .alternate: button.alternateImage = newValue
            case .image(let state): button.setImage(newValue, for: state)
            case .background(let state): button.setBackgroundImage(newValue, for: state)
            }
        }
    }

    var identifier: Source.Identifier.Value? {
        switch place {
        case .imageView: imageView.kf.taskIdentifier
        case .settable: badge.kf.taskIdentifier
        case .attachment: attachment.kf.taskIdentifier
        case .alternate: button.kf.alternateTaskIdentifier
        case .image(let state): button.kf.taskIdentifier(for: state)
        case .background(let state): button.kf.backgroundTaskIdentifier(for: state)
        }
    }

    func cancel() {
        switch place {
        case .imageView: imageView.kf.cancelDownloadTask()
        case .settable: badge.kf.cancelDownloadTask()
        case .attachment: attachment.kf.cancelDownloadTask()
        case .alternate: button.kf.cancelAlternateImageDownloadTask()
        case .image: button.kf.cancelImageDownloadTask()
        case .background: button.kf.cancelBackgroundImageDownloadTask()
        }
    }

    /// Loads `url`; the default is the URL of the bench.
    func load(
        _ url: URL? = nil, placeholder: Image? = nil, _ extra: KingfisherOptionsInfo = [],
        progress: DownloadProgressBlock? = nil
    ) -> Load {
        load(.network(url ?? bench.url), placeholder: placeholder, extra, progress: progress)
    }

    func load(_ extra: KingfisherOptionsInfo) -> Load {
        load(nil as URL?, extra)
    }

    func load(
        _ source: Source?, placeholder: Image? = nil, _ extra: KingfisherOptionsInfo = [],
        progress: DownloadProgressBlock? = nil
    ) -> Load {
        let outcomes = Inbox<Outcome>()
        let task = start(
            source, placeholder, [.downloader(bench.downloader), .targetCache(bench.cache)] + extra, progress
        ) { outcomes.put($0) }
        return Load(outcomes: outcomes, task: task)
    }

    func start(
        _ source: Source?, _ placeholder: Image? = nil, _ options: KingfisherOptionsInfo,
        _ progress: DownloadProgressBlock? = nil, completion: @escaping ViewCompletionHandler
    ) -> DownloadTask? {
        // A load retains what the expression of the attributed view captures, which must not be the rig.
        let view = imageView
        return switch place {
        case .imageView:
            imageView.kf.setImage(
                with: source, placeholder: placeholder, options: options, progressBlock: progress,
                completionHandler: completion)
        case .settable:
            badge.kf.setImage(
                with: source, placeholder: placeholder, options: options, progressBlock: progress,
                completionHandler: completion)
        case .attachment:
            attachment.kf.setImage(
                with: source, attributedView: view, placeholder: placeholder, options: options,
                progressBlock: progress, completionHandler: completion)
        case .alternate:
            button.kf.setAlternateImage(
                with: source, placeholder: placeholder, options: options, progressBlock: progress,
                completionHandler: completion)
        case .image(let state):
            button.kf.setImage(
                with: source, for: state, placeholder: placeholder, options: options, progressBlock: progress,
                completionHandler: completion)
        case .background(let state):
            button.kf.setBackgroundImage(
                with: source, for: state, placeholder: placeholder, options: options, progressBlock: progress,
                completionHandler: completion)
        }
    }

    /// Holds the stub, and returns when the load of `start` has started or joined a download.
    func hold(_ start: () -> Load) async -> Load {
        bench.stub.hold()
        let load = start()
        #expect(await poll { @Sendable in load.task?.isInitialized == true })
        return load
    }
}
