import Foundation
import KingfisherImage

@MainActor final class ImageIndicator: Indicator {
    private let image: Image
    private let imageView = IndicatorImageView()

    init?(imageData: Data) {
        guard let image = IndicatorImages.image(of: imageData) else { return nil }
        self.image = image
        imageView.autoPlayAnimatedImage = false
        imageView.contentMode = .scaleAspectFit
        imageView.image = image
    }

    var view: IndicatorView { imageView }

    func startAnimatingView() {
        imageView.isHidden = false
        imageView.startAnimating()
        imageView.accessibilityDidChange()
    }

    func stopAnimatingView() {
        imageView.stopAnimating()
        imageView.isHidden = true
        imageView.accessibilityDidChange()
    }

    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        let room = imageView.bounds.size
        let fits = image.size.width <= room.width && image.size.height <= room.height
        return fits || room == .zero ? .intrinsicSize : .full
    }
}

@MainActor private final class IndicatorImageView: AnimatedImageView {
    override var accessibility: ViewAccessibility {
        ViewAccessibility(role: .progress, label: alternativeText, isBusy: !isHidden)
    }
}

/// The images of indicators in use, so that the indicators of a list share the image and its frames.
@MainActor private enum IndicatorImages {
    private struct Entry {
        weak var image: Image?
    }

    private static var entries: [Data: Entry] = [:]

    static func image(of data: Data) -> Image? {
        if let image = entries[data]?.image { return image }
        let image = KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions())
        entries = entries.filter { $0.value.image != nil }
        entries[data] = image.map { Entry(image: $0) }
        return image
    }
}
