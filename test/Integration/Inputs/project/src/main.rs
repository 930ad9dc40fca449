fn main() {
    println!("hello {}", 42);
}
