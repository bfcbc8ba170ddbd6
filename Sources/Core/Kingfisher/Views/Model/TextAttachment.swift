public import Foundation
public import KingfisherImage

/// Displays a text attachment and is notified of changes.
@MainActor public protocol TextAttachmentObserver: AnyObject {
    /// Called after each change: `.size` if the text must be laid out again, otherwise `.content`.
    func textAttachment(_ attachment: TextAttachment, didChange change: ViewChange)
}

/// An image in a text: `attachment.kf.setImage(with: url, attributedView: textView)`.
///
/// One attachment may be part of several texts; each is an observer.
@MainActor open class TextAttachment {
    /// The image.
    open var image: Image? {
        didSet {
            guard image !== oldValue else { return }
            // The size of the image does not matter if `bounds` has one.
            notifyObservers(bounds.isEmpty && image?.size != oldValue?.size ? .size : .content)
        }
    }

    /// The size of the image in the text and its offset from the baseline, upwards, in points. An empty size
    /// means the size of the image.
    open var bounds: CGRect = .zero {
        didSet { if bounds != oldValue { notifyObservers(.size) } }
    }

    private struct Observer {
        weak var object: (any TextAttachmentObserver)?
    }

    private var observers: [Observer] = []

    let currentLoad = CurrentLoad()

    /// Creates an attachment that shows `image`; callable from any thread.
    nonisolated public init(image: Image?) {
        self.image = image
    }

    /// Creates an attachment without an image; callable from any thread.
    nonisolated public convenience init() {
        self.init(image: nil)
    }

    /// The bounds in the text: `bounds`, or the size of the image if its size is empty.
    open var layoutBounds: CGRect {
        bounds.isEmpty ? CGRect(origin: bounds.origin, size: image?.size ?? .zero) : bounds
    }

    /// Adds an observer, which is held weakly. Adding it again has no effect.
    public func addObserver(_ observer: any TextAttachmentObserver) {
        removeObserver(observer)
        observers.append(Observer(object: observer))
    }

    /// Removes an observer.
    public func removeObserver(_ observer: any TextAttachmentObserver) {
        observers.removeAll { $0.object == nil || $0.object === observer }
    }

    private func notifyObservers(_ change: ViewChange) {
        for observer in observers { observer.object?.textAttachment(self, didChange: change) }
    }
}

extension TextAttachment: KingfisherCompatible {}
