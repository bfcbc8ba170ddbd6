public import Foundation
public import KingfisherImage

/// Shows a text attachment, and is told when it has to be drawn again.
@MainActor public protocol TextAttachmentObserver: AnyObject {
    /// Called after each change: `.size` when the text has to be laid out again, `.content` otherwise.
    func textAttachment(_ attachment: TextAttachment, didChange change: ViewChange)
}

/// An image among words: `attachment.kf.setImage(with: url, attributedView: textView)`.
///
/// One attachment may stand in several texts; each is an observer.
@MainActor open class TextAttachment {
    /// The image.
    open var image: Image? {
        didSet {
            guard image !== oldValue else { return }
            // The new image's size does not matter where one is given.
            tellObservers(bounds.isEmpty && image?.size != oldValue?.size ? .size : .content)
        }
    }

    /// Size of the image in the text and its place relative to the baseline, upwards, in points; an empty
    /// size takes that of the image.
    open var bounds: CGRect = .zero {
        didSet { if bounds != oldValue { tellObservers(.size) } }
    }

    private struct Observer {
        weak var object: (any TextAttachmentObserver)?
    }

    private var observers: [Observer] = []

    /// The load that the attachment waits for.
    let currentLoad = CurrentLoad()

    /// Makes an attachment that shows `image`; from any thread.
    nonisolated public init(image: Image?) {
        self.image = image
    }

    /// Makes an attachment without an image; from any thread.
    nonisolated public convenience init() {
        self.init(image: nil)
    }

    /// The room that the attachment takes in the text: `bounds`, with the image's size where it has none.
    open var layoutBounds: CGRect {
        bounds.isEmpty ? CGRect(origin: bounds.origin, size: image?.size ?? .zero) : bounds
    }

    /// Lets `observer`, which is not kept alive, hear of changes; once, however often it is added.
    public func addObserver(_ observer: any TextAttachmentObserver) {
        removeObserver(observer)
        observers.append(Observer(object: observer))
    }

    /// Lets `observer` hear of no further changes.
    public func removeObserver(_ observer: any TextAttachmentObserver) {
        observers.removeAll { $0.object == nil || $0.object === observer }
    }

    private func tellObservers(_ change: ViewChange) {
        for observer in observers { observer.object?.textAttachment(self, didChange: change) }
    }
}

extension TextAttachment: KingfisherCompatible {}
