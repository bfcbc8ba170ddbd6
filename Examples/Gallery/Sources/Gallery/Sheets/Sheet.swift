import Kingfisher

/// A page of captioned images in a grid.
struct Sheet {
    struct Cell {
        let caption: String
        /// With premultiplied alpha.
        let pixels: PixelBuffer
    }

    let title: String
    let subtitle: String
    let cells: [Cell]
    /// Size of the largest image in pixels.
    let size: PixelSize
    let columns: Int
}
