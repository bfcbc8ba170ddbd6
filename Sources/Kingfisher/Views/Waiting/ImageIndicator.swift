import Foundation
import KingfisherImage

/// `IndicatorType.image`: a still or animated picture in the middle of the view.
@MainActor final class ImageIndicator: Indicator {
    private let picture: Image
    private let imageView = AnimatedImageView()

    /// Nil when the bytes are no picture.
    init?(imageData: Data) {
        guard let picture = IndicatorPictures.picture(of: imageData) else { return nil }
        self.picture = picture
        imageView.autoPlayAnimatedImage = false
        imageView.contentMode = .scaleAspectFit
        imageView.image = picture
    }

    var view: IndicatorView { imageView }

    func startAnimatingView() {
        imageView.isHidden = false
        imageView.startAnimating()
    }

    func stopAnimatingView() {
        imageView.stopAnimating()
        imageView.isHidden = true
    }

    /// Its own size, unless the view has less room.
    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        let room = imageView.bounds.size
        let fits = picture.size.width <= room.width && picture.size.height <= room.height
        return fits || room == .zero ? .intrinsicSize : .full
    }
}

/// Pictures of indicators that are in use, so that those of a whole list decode and hold their frames once.
@MainActor private enum IndicatorPictures {
    private struct Entry {
        weak var picture: Image?
    }

    private static var entries: [Data: Entry] = [:]

    static func picture(of data: Data) -> Image? {
        if let picture = entries[data]?.picture { return picture }
        let picture = KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions())
        entries = entries.filter { $0.value.picture != nil }
        entries[data] = picture.map { Entry(picture: $0) }
        return picture
    }
}
