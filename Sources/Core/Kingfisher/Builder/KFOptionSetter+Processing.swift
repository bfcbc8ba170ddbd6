public import Foundation

extension KFOptionSetter {
    /// Processes the image with `processor`, which replaces all previous processors.
    public func setProcessor(_ processor: any ImageProcessor) -> Self {
        setting(\.processor, to: processor)
    }

    /// Processes the image with `processors` in sequence, which replace all previous ones; `[]` only decodes.
    public func setProcessors(_ processors: [any ImageProcessor]) -> Self {
        let chain = processors.dropFirst().reduce(processors.first) { chain, next in
            chain?.append(another: next)
        }
        return setProcessor(chain ?? DefaultImageProcessor.default)
    }

    /// Adds `processor` after the previous ones.
    ///
    /// If it follows the default processor, its identifier, which is part of the cache key, starts with `|>`.
    public func appendProcessor(_ processor: any ImageProcessor) -> Self {
        setProcessor(options.givenProcessor.append(another: processor))
    }

    /// Applies the processors to every frame of an animation, instead of creating a still image of the first
    /// frame.
    ///
    /// See `KingfisherOptionsInfoItem.processesAnimatedFrames`.
    public func processesAnimatedFrames(_ enabled: Bool = true) -> Self {
        setting(\.processesAnimatedFrames, to: enabled)
    }

    /// Accepts a truncated file and shows its decoded rows. Such an image is not cached.
    ///
    /// See `KingfisherOptionsInfoItem.acceptsPartialImages`.
    public func acceptsPartialImages(_ enabled: Bool = true) -> Self {
        setting(\.acceptsPartialImages, to: enabled)
    }

    /// Has no effect; see ``KingfisherOptionsInfoItem/backgroundDecode``.
    public func backgroundDecode(_ enabled: Bool = true) -> Self {
        setting(\.backgroundDecode, to: enabled)
    }

    /// Shows a progressive JPEG in a view during its download; nil for only the complete image.
    public func progressiveJPEG(_ progressive: ImageProgressive? = .init()) -> Self {
        setting(\.progressiveJPEG, to: progressive)
    }

    /// Sets the queue for decoding and processing; nil for a serial queue of the manager or downloader.
    public func processingQueue(_ queue: CallbackQueue?) -> Self {
        setting(\.processingQueue, to: queue)
    }
}

extension KFOptionSetter {
    /// Adds a `RoundCornerImageProcessor`; `targetSize` is in points.
    public func roundCorner(
        radius: Radius, targetSize: CGSize? = nil, roundingCorners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> Self {
        appendProcessor(
            RoundCornerImageProcessor(
                radius: radius, targetSize: targetSize, roundingCorners: roundingCorners,
                backgroundColor: backgroundColor))
    }

    /// Adds a `BlurImageProcessor`; `radius` is in pixels.
    public func blur(radius: CGFloat) -> Self {
        appendProcessor(BlurImageProcessor(blurRadius: radius))
    }

    /// Adds a `SharpenImageProcessor`; `radius` is in pixels.
    public func sharpen(radius: CGFloat = 1, amount: CGFloat = 1) -> Self {
        appendProcessor(SharpenImageProcessor(radius: radius, amount: amount))
    }

    /// Adds an `OverlayImageProcessor`; `fraction` is the visible part of the image, 1 for all of it.
    public func overlay(color: KFCrossPlatformColor, fraction: CGFloat = 0.5) -> Self {
        appendProcessor(OverlayImageProcessor(overlay: color, fraction: fraction))
    }

    /// Adds a `TintImageProcessor`, which draws `color` over the image with the colour's alpha.
    public func tint(color: KFCrossPlatformColor) -> Self {
        appendProcessor(TintImageProcessor(tint: color))
    }

    /// Adds a `BlackWhiteProcessor`.
    public func blackWhite() -> Self {
        appendProcessor(BlackWhiteProcessor())
    }

    /// Adds a `CroppingImageProcessor`: `size` points around `anchor`, which is (1, 1) at the bottom right.
    public func cropping(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) -> Self {
        appendProcessor(CroppingImageProcessor(size: size, anchor: anchor))
    }

    /// Adds a `FocalCroppingImageProcessor`: fills `size` points, and keeps `focus`, a position as fractions
    /// of the image's sides.
    public func cropping(toFill size: CGSize, focus: CGPoint) -> Self {
        appendProcessor(FocalCroppingImageProcessor(size: size, focus: focus))
    }

    /// Adds a `RotationImageProcessor`, which turns clockwise by a multiple of 90 degrees.
    public func rotating(quarterTurns: Int) -> Self {
        appendProcessor(RotationImageProcessor(quarterTurns: quarterTurns))
    }

    /// Adds a `FlippingImageProcessor`.
    public func flipping(_ axis: FlipAxis) -> Self {
        appendProcessor(FlippingImageProcessor(axis))
    }

    /// Adds a `PaddingImageProcessor`: a canvas of `size` points with the image at `anchor`.
    public func padding(
        size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5), color: KFCrossPlatformColor = .clear
    ) -> Self {
        appendProcessor(PaddingImageProcessor(size: size, anchor: anchor, color: color))
    }

    /// Adds a `TrimmingImageProcessor`, which removes edges of one colour.
    public func trimming(tolerance: CGFloat = 0.04) -> Self {
        appendProcessor(TrimmingImageProcessor(tolerance: tolerance))
    }

    /// Adds a `WatermarkImageProcessor`; `name` identifies `mark` in caches.
    public func watermark(
        _ mark: KFCrossPlatformImage, name: String, anchor: CGPoint = CGPoint(x: 1, y: 1),
        margin: CGFloat = 0, opacity: CGFloat = 1
    ) -> Self {
        appendProcessor(
            WatermarkImageProcessor(mark, name: name, anchor: anchor, margin: margin, opacity: opacity))
    }

    /// Adds a `TextImageProcessor`, which draws a line of text, by default white at the bottom right.
    public func text(
        _ text: String, anchor: CGPoint = CGPoint(x: 1, y: 1), size: Radius = .heightFraction(0.05),
        color: KFCrossPlatformColor = .white
    ) -> Self {
        appendProcessor(TextImageProcessor(text, anchor: anchor, size: size, color: color))
    }

    /// Adds a `MarginImageProcessor`: edges of one colour, in points.
    public func margin(
        top: CGFloat, right: CGFloat, bottom: CGFloat, left: CGFloat, color: KFCrossPlatformColor = .clear
    ) -> Self {
        appendProcessor(
            MarginImageProcessor(top: top, right: right, bottom: bottom, left: left, color: color))
    }

    /// Adds an `ExtractingImageProcessor`, which keeps what is inside `rect`, in points.
    public func extracting(_ rect: CGRect) -> Self {
        appendProcessor(ExtractingImageProcessor(rect: rect))
    }

    /// Adds a `PixelatingImageProcessor`; `blockSize` is the side of a square in points.
    public func pixelating(blockSize: CGFloat) -> Self {
        appendProcessor(PixelatingImageProcessor(blockSize: blockSize))
    }

    /// Adds a `FittingImageProcessor`: inside `size` points, where a side of 0 is free.
    ///
    /// As the first processor it replaces the default one, which would decode the file at full size.
    public func fitting(size: CGSize, enlarges: Bool = false) -> Self {
        reducing(by: FittingImageProcessor(size: size, enlarges: enlarges))
    }

    /// Adds a `CoveringImageProcessor`: covers `size` points and crops around `focus`, a position as
    /// fractions of the image's sides.
    ///
    /// As the first processor it replaces the default one, which would decode the file at full size.
    public func covering(
        size: CGSize, focus: CGPoint = CGPoint(x: 0.5, y: 0.5),
        smallImage: CoveringImageProcessor.SmallImage = .crop
    ) -> Self {
        reducing(by: CoveringImageProcessor(size: size, focus: focus, smallImage: smallImage))
    }

    /// Adds a `DownsamplingImageProcessor` to `size` points.
    ///
    /// As the first processor it replaces the default one, which would decode the file at full size.
    public func downsampling(size: CGSize) -> Self {
        reducing(by: DownsamplingImageProcessor(size: size))
    }

    private func reducing(by processor: any ImageProcessor) -> Self {
        options.givenProcessor.identifier.isEmpty
            ? setProcessor(processor) : appendProcessor(processor)
    }

    /// Adds a `ResizingImageProcessor` to `referenceSize` points.
    public func resizing(referenceSize: CGSize, mode: ContentMode = .none) -> Self {
        appendProcessor(ResizingImageProcessor(referenceSize: referenceSize, mode: mode))
    }
}
