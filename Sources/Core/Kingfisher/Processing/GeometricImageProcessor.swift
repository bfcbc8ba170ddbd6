public import KingfisherImage

/// A processor that only crops, scales and turns an image.
protocol GeometricImageProcessor: ImageProcessor {
    /// Changes the geometry as the processor changes the image.
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo)
}

extension ImageProcessor {
    /// What this processor does to an image of `size` upright pixels, if it only crops, scales and turns it;
    /// nil for any other processor, and for a chain in which there is one.
    ///
    /// A processor that fails, or leaves the image unchanged because of a limit, is not known here: compare
    /// the size with the result.
    public func geometry(
        of size: PixelSize, options: KingfisherParsedOptionsInfo = KingfisherParsedOptionsInfo(nil)
    ) -> ImageGeometry? {
        var geometry = ImageGeometry(size)
        for stage in stages {
            if stage is DefaultImageProcessor { continue }
            guard let stage = stage as? any GeometricImageProcessor else { return nil }
            stage.change(&geometry, options: options)
        }
        return geometry
    }
}

extension ImageGeometry {
    mutating func crop(to area: PixelArea?) {
        if let area { crop(x: area.x, y: area.y, to: area.size) }
    }
}

extension DownsamplingImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        if let size = decodedSize(of: geometry.size, options: options) { geometry.resize(to: size) }
    }
}

extension FittingImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        let full = geometry.size
        let size = decodedSize(of: full, options: options) ?? resultSize(of: full, options: options)
        if let size { geometry.resize(to: size) }
    }
}

extension CoveringImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        guard let box = PixelBox(size, .covering, options) else { return }
        if let size = box.shrunkSize(of: geometry.size) {
            geometry.resize(to: size)
        } else if smallImage == .enlarge, box.ratio(for: geometry.size) > 1 {
            geometry.resize(to: box.scaledSize(of: geometry.size))
        }
        geometry.crop(to: area(of: geometry.size, in: box.size))
    }
}

extension ResizingImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        let size = geometry.size.resized(
            to: referenceSize, for: targetContentMode, scale: options.scaleFactor)
        if let size { geometry.resize(to: size) }
    }
}

extension CroppingImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        geometry.crop(to: geometry.size.area(of: size, anchorOn: anchor, scale: options.scaleFactor))
    }
}

extension ExtractingImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        geometry.crop(to: geometry.size.area(of: rect, scale: options.scaleFactor))
    }
}

extension FocalCroppingImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        let scale = options.scaleFactor
        if let filling = geometry.size.resized(to: size, for: .aspectFill, scale: scale) {
            geometry.resize(to: filling)
        }
        geometry.crop(to: geometry.size.area(of: size, focus: focus, scale: scale))
    }
}

extension RotationImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        geometry.turn(from: Image.Orientation.up.rotated(byQuarterTurns: quarterTurns))
    }
}

extension FlippingImageProcessor: GeometricImageProcessor {
    func change(_ geometry: inout ImageGeometry, options: KingfisherParsedOptionsInfo) {
        geometry.turn(from: Image.Orientation.up.flipped(axis))
    }
}
